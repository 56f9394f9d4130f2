import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { type Clock, systemClock } from '../clock.ts';
import { nodeFileSystem, type StoreFileSystem } from './file-system.ts';
import { type LockFiles, type LockOwner, openLockFiles } from './lock-files.ts';
import { storing } from './storage-error.ts';

export type { LockOwner } from './lock-files.ts';

/** How the lock tells a running process from one that is gone; given by the process layer. */
export interface LockProbe {
  readonly self: { readonly pid: number; readonly startTime: string };
  isRunning(identity: { readonly pid: number; readonly startTime: string }): boolean;
}

export interface DataLockOptions {
  readonly dataDir: string;
  readonly probe: LockProbe;
  readonly fs?: StoreFileSystem;
  readonly newId?: () => string;
}

export interface DataLock {
  /** Tells those who come later where the owner is to be found. */
  publish(url: string): Promise<void>;
  /** Lets the next one in. Idempotent. */
  release(): Promise<void>;
}

export type LockResult =
  | { readonly kind: 'acquired'; readonly lock: DataLock }
  | { readonly kind: 'busy'; readonly owner: LockOwner };

/**
 * One server per data directory, without help from the system's file locks, which Node does not offer.
 *
 * `owner.json` names the owner. It is made once, by link(2), which exactly one of many can win, and from then on only
 * ever replaced by rename, never removed; an owner that leaves writes itself down as released. Every claim has an id of
 * its own, used once. Whoever finds the owner gone (or released) claims to be *its* successor by linking
 * `<its id>.next`: again one of many wins. Successors form a chain from `owner.json`, and the last of the chain owns
 * the directory. The winner then puts itself into `owner.json` and removes the links.
 *
 * Breaking a stale lock is where such schemes fail: a slow starter acts on an owner that others have since replaced.
 * Here it can at worst create a `<old id>.next` that has been removed again. But links are removed only after
 * `owner.json` was replaced, so at that moment the chain no longer leads through the old id, and never will again.
 * Therefore a claim counts only if, read after the link, the chain from `owner.json` leads to it. A claim that counts
 * cannot lose: only an owner replaces `owner.json`, and there is none besides the claimer.
 *
 * An owner is gone if no process has its pid *and* its start time. A process cannot come back, so gone is for ever.
 */
export async function acquireDataLock(options: DataLockOptions): Promise<LockResult> {
  const { dataDir, probe, fs = nodeFileSystem, newId = randomUUID } = options;
  return storing(`The data directory ${dataDir} could not be locked`, async () => {
    const files = await openLockFiles(lockDirectory(dataDir), fs, newId);
    for (;;) {
      const last = await files.lastOfChain();
      if (last !== undefined && !last.released && probe.isRunning(last)) return { kind: 'busy', owner: last };
      const claim: LockOwner = { id: newId(), ...probe.self, released: false };
      if (await files.claim(claim, last)) return { kind: 'acquired', lock: await own(files, claim) };
    }
  });
}

async function own(files: LockFiles, claim: LockOwner): Promise<DataLock> {
  await files.settle(claim);
  let current = claim;
  let lastWrite: Promise<void> = Promise.resolve();
  // One after the other, and nothing after a release, not even one that failed: it may have been seen, and a record
  // that came after it would take the directory from the next owner.
  const replace = (change: Partial<LockOwner>): Promise<void> => {
    const write = lastWrite.then(async () => {
      if (current.released) return;
      current = { ...current, ...change };
      await files.replaceOwner(current);
    });
    lastWrite = write.catch(() => {});
    return write;
  };
  return {
    publish: (url) => replace({ url }),
    release: () => replace({ released: true }),
  };
}

export interface WaitForOwnerOptions extends DataLockOptions {
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const POLL_MS = 50;

/**
 * Where the owner is to be found, once it has said so: it listens only some time after it took the lock. Undefined when
 * the owner went away meanwhile, so that the lock can be tried again. Throws DATA_DIR_BUSY for one that stays silent.
 */
export async function waitForOwnerUrl(options: WaitForOwnerOptions): Promise<string | undefined> {
  const { dataDir, probe, fs = nodeFileSystem, newId = randomUUID } = options;
  const { timeoutMs = 10_000, clock = systemClock } = options;
  const files = await openLockFiles(lockDirectory(dataDir), fs, newId);
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const owner = await files.lastOfChain();
    if (owner === undefined || owner.released || !probe.isRunning(owner)) return undefined;
    if (owner.url !== undefined) return owner.url;
    if (waitedMs >= timeoutMs) throw busyWithoutUrl(dataDir, owner);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, POLL_MS));
  }
}

function lockDirectory(dataDir: string): string {
  return join(dataDir, 'lock');
}

function busyWithoutUrl(dataDir: string, { pid }: LockOwner): AppError {
  return new AppError(
    'DATA_DIR_BUSY',
    `Another server (process ${pid}) is using ${dataDir} but does not say where it listens. Stop it, or choose another data directory with --data-dir.`,
    { details: { pid } },
  );
}
