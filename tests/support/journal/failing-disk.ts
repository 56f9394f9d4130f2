import fs, { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { createRandom } from '../seeded-random.ts';

/**
 * What happens at a call of the file system:
 * - `EIO`, `ENOSPC`: it fails, once or from then on; a write has written half by then.
 * - `death`: the process has died before, in the middle of or after it: what was written stays.
 * - `power cut`: what was not synced is lost, all of it or some.
 */
export type DiskFailure =
  | { readonly kind: 'EIO' | 'ENOSPC'; readonly length: 'once' | 'forever' }
  | { readonly kind: 'death'; readonly when: 'before' | 'half' | 'after' }
  | { readonly kind: 'power cut'; readonly unsynced: 'lost' | 'some' };

export interface FailingDisk {
  /** Whether the selected call was reached. */
  readonly hasFailed: boolean;
  /** From now on. */
  breakNow(): void;
  /** The disk works again. */
  repair(): void;
  /** Ends the failures for good and closes what is open. */
  restore(): void;
}

export interface FailingDiskOptions {
  /** Calls for files in it count and fail; others do not. */
  readonly directory: string;
  readonly failure: DiskFailure;
  /** Which call fails, from 1. None if not given. */
  readonly call?: number;
  /** Gets the files as a process finds them that starts after a death or a power cut. */
  readonly remains?: string;
}

const BY_NAME = ['openSync', 'accessSync', 'unlinkSync', 'mkdirSync', 'rmdirSync'] as const;
const BY_FILE = ['closeSync', 'readSync', 'writeSync', 'fsyncSync', 'ftruncateSync', 'fstatSync'] as const;
type Name = (typeof BY_NAME)[number] | (typeof BY_FILE)[number];
type AnyCall = (...parameters: never[]) => unknown;

/** Replaces functions of `node:fs`, which SQLite and our own code use. Syncs only pretend, which is faster. */
export function failDisk({
  directory,
  failure,
  call = Number.POSITIVE_INFINITY,
  remains = '',
}: FailingDiskOptions): FailingDisk {
  const originals = new Map<Name, AnyCall>();
  const names = new Map<number, string>();
  const random = createRandom(call);
  const disk = createSyncedFiles(directory, random);
  let calls = 0;
  let broken = false;
  let repaired = false;

  const isOurs = (target: unknown) =>
    typeof target === 'number' ? names.has(target) : String(target).startsWith(directory);

  function attempt(name: Name, parameters: readonly unknown[], run: (half: boolean) => unknown): unknown {
    if (!isOurs(parameters[0])) return run(false);
    calls += 1;
    const isNow = calls === call && !repaired;
    if (!isNow && !broken) return run(false);
    if (isNow) {
      broken = !('length' in failure) || failure.length === 'forever';
      fail(name, run);
    }
    const code = failure.kind === 'ENOSPC' ? 'ENOSPC' : 'EIO';
    if (name === 'closeSync' || (code === 'ENOSPC' && !needsRoom(name, parameters))) return run(false);
    throw Object.assign(new Error(`${code}: call ${calls}, ${name}`), { code });
  }

  function fail(name: Name, run: (half: boolean) => unknown): void {
    const half = () => name === 'writeSync' && run(true);
    if (failure.kind === 'death') {
      if (failure.when === 'half') half();
      try {
        if (failure.when === 'after' && name !== 'closeSync') run(false);
      } finally {
        copyFiles(directory, remains);
      }
    } else if (failure.kind === 'power cut') {
      half();
      disk.writeRemains(remains, failure.unsynced);
    } else half();
  }

  function replace(name: Name, replacement: AnyCall): void {
    originals.set(name, fs[name] as AnyCall);
    (fs as Record<Name, unknown>)[name] = replacement;
  }

  for (const name of [...BY_NAME, ...BY_FILE]) {
    const original = fs[name] as (...parameters: unknown[]) => unknown;
    replace(name, ((...parameters: unknown[]) =>
      attempt(name, parameters, (half) => {
        const [target] = parameters;
        const file = names.get(target as number);
        if (name === 'fsyncSync') return file === undefined ? undefined : disk.synced(file);
        if (name === 'writeSync' && file !== undefined) {
          const [, buffer, offset, length, position] = parameters as [number, Uint8Array, number, number, number];
          const count = half ? Math.floor(length / 2) : length;
          disk.wrote(file, buffer.slice(offset, offset + count), position);
          return original(target, buffer, offset, count, position);
        }
        if (name === 'ftruncateSync' && file !== undefined) disk.truncated(file, Number(parameters[1]));
        if (name === 'unlinkSync') disk.removed(basename(String(target)));
        const result = original(...parameters);
        if (name === 'openSync' && isOurs(target)) {
          names.set(result as number, basename(String(target)));
          disk.opened(basename(String(target)));
        }
        if (name === 'closeSync') names.delete(target as number);
        return result;
      })) as AnyCall);
  }
  syncBuiltinESMExports();

  return {
    get hasFailed() {
      return calls >= call;
    },
    breakNow() {
      broken = true;
    },
    repair() {
      repaired = true;
      broken = false;
    },
    restore() {
      for (const [name, original] of originals) (fs as Record<Name, unknown>)[name] = original;
      syncBuiltinESMExports();
      for (const file of names.keys()) fs.closeSync(file);
      names.clear();
    },
  };
}

function needsRoom(name: Name, [, flags]: readonly unknown[]): boolean {
  if (name === 'openSync') return typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0;
  return name === 'writeSync' || name === 'mkdirSync';
}

export function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (statSync(join(from, name)).isDirectory()) mkdirSync(join(to, name), { recursive: true });
    else copyFileSync(join(from, name), join(to, name));
  }
}

/** What of the files of a directory is on disk for certain, and what was written since. */
function createSyncedFiles(directory: string, random: ReturnType<typeof createRandom>) {
  const contents = new Map<string, Buffer>();
  /** Files whose names are on disk for certain. */
  const named = new Set<string>();
  const unsynced: { readonly name: string; readonly apply: (content: Buffer) => Buffer }[] = [];
  for (const name of readdirSync(directory)) {
    if (statSync(join(directory, name)).isFile()) contents.set(name, readFileSync(join(directory, name)));
    named.add(name);
  }
  const apply = (to: Map<string, Buffer>, { name, apply: change }: (typeof unsynced)[number]) =>
    to.set(name, change(to.get(name) ?? Buffer.alloc(0)));

  return {
    wrote(name: string, bytes: Uint8Array, position: number): void {
      unsynced.push({
        name,
        apply(content) {
          const grown = Buffer.alloc(Math.max(content.length, position + bytes.length));
          content.copy(grown);
          grown.set(bytes, position);
          return grown;
        },
      });
    },
    truncated(name: string, length: number): void {
      unsynced.push({ name, apply: (content) => Buffer.concat([content, Buffer.alloc(length)]).subarray(0, length) });
    },
    opened(name: string): void {
      if (!contents.has(name) && name !== basename(directory)) contents.set(name, Buffer.alloc(0));
    },
    removed(name: string): void {
      contents.delete(name);
      named.delete(name);
    },
    synced(name: string): void {
      if (name === basename(directory)) for (const file of contents.keys()) named.add(file);
      for (const change of unsynced.filter((of) => of.name === name)) apply(contents, change);
      for (let index = unsynced.length - 1; index >= 0; index -= 1) {
        if (unsynced[index]?.name === name) unsynced.splice(index, 1);
      }
    },
    writeRemains(to: string, which: 'lost' | 'some'): void {
      const remains = new Map(contents);
      if (which === 'some') for (const change of unsynced) if (random.below(2) === 0) apply(remains, change);
      mkdirSync(to, { recursive: true });
      for (const [name, content] of remains)
        if (named.has(name) || (which === 'some' && random.below(2) === 0))
          writeFileSync(join(to, name), content, { mode: 0o600 });
    },
  };
}
