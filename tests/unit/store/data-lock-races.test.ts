import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acquireDataLock, type DataLock, type LockProbe } from '../../../server/store/data-lock.ts';
import type { StoreFileSystem } from '../../../server/store/file-system.ts';
import { createFakeProcesses } from '../../support/store/fake-processes.ts';

/**
 * Runs several starters against one in-memory file system, one call at a time, in an order that the test chooses, and
 * kills or releases some of them. There must never be two owners at once.
 */
const CONTENDERS = 4;

interface Step {
  readonly contender: number;
  readonly run: () => void;
}

function createWorld() {
  const files = new Map<string, string>();
  const waiting: Step[] = [];
  const dead = new Set<number>();
  const fail = (code: string) => {
    throw Object.assign(new Error(code), { code });
  };

  const fileSystemOf = (contender: number): StoreFileSystem => {
    const step = <T>(act: () => T): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const run = () => {
          try {
            resolve(act());
          } catch (error) {
            reject(error);
          }
        };
        if (!dead.has(contender)) waiting.push({ contender, run });
      });
    const contentsOf = (path: string) => files.get(path) ?? fail('ENOENT') ?? '';
    return {
      makeDirectory: async () => {},
      syncDirectory: async () => {},
      list: (directory) =>
        step(() =>
          [...files.keys()]
            .filter((path) => path.startsWith(directory))
            .map((path) => path.slice(directory.length + 1)),
        ),
      read: (path) => step(() => new TextEncoder().encode(contentsOf(path))),
      create: (path) =>
        step(() => {
          if (files.has(path)) fail('EEXIST');
          files.set(path, '');
          return {
            write: (data: string) => step(() => void files.set(path, data)),
            sync: async () => {},
            close: async () => {},
          };
        }),
      rename: (from, to) =>
        step(() => {
          files.set(to, contentsOf(from));
          files.delete(from);
        }),
      link: (existing, name) =>
        step(() => {
          const contents = contentsOf(existing);
          if (files.has(name)) fail('EEXIST');
          files.set(name, contents);
        }),
      remove: (path) => step(() => void files.delete(path)),
    };
  };

  return { waiting, dead, fileSystemOf };
}

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

async function play(choices: readonly number[]): Promise<{ maxOwners: number; acquisitions: number }> {
  const world = createWorld();
  const processes = createFakeProcesses();
  const owners = new Map<number, DataLock>();
  const probes: LockProbe[] = [];
  let ids = 0;
  let acquisitions = 0;
  let maxOwners = 0;

  const startContender = (contender: number) => {
    const probe = processes.start();
    probes[contender] = probe;
    const options = { dataDir: '/d', probe, fs: world.fileSystemOf(contender), newId: () => `id${++ids}` };
    void acquireDataLock(options).then((result) => {
      if (result.kind !== 'acquired' || world.dead.has(contender)) return;
      owners.set(contender, result.lock);
      acquisitions += 1;
      maxOwners = Math.max(maxOwners, owners.size);
    });
  };

  for (let contender = 0; contender < CONTENDERS; contender += 1) startContender(contender);
  let next = CONTENDERS;
  for (const choice of choices) {
    await settle();
    const [owner] = owners.keys();
    if (choice % 7 === 0 && owner !== undefined) {
      const lock = owners.get(owner);
      owners.delete(owner);
      // A release takes several steps, interleaved with those of the others.
      if (choice % 2 === 0) void lock?.release();
      else bury(owner);
      startContender(next++);
    } else if (choice % 23 === 0 && world.waiting.length > 0) {
      bury(world.waiting[0]?.contender ?? 0);
      startContender(next++);
    } else {
      const [step] = world.waiting.splice(choice % Math.max(1, world.waiting.length), 1);
      step?.run();
    }
  }
  return { maxOwners, acquisitions };

  function bury(contender: number): void {
    world.dead.add(contender);
    owners.delete(contender);
    const probe = probes[contender];
    if (probe !== undefined) processes.kill(probe);
    for (let index = world.waiting.length - 1; index >= 0; index -= 1) {
      if (world.waiting[index]?.contender === contender) world.waiting.splice(index, 1);
    }
  }
}

test('no order of steps, crashes and releases gives the directory two owners', { timeout: 60_000 }, async () => {
  let acquisitions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 150, maxLength: 400 }), async (choices) => {
      const played = await play(choices);
      acquisitions += played.acquisitions;
      expect(played.maxOwners).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
  expect(acquisitions).toBeGreaterThan(1_000);
});
