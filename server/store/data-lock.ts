import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { type Clock, systemClock } from '../clock.ts';
import { nodeFileSystem, type StoreFileSystem } from './file-system.ts';
import { type LockFiles, type LockOwner, openLockFiles } from './lock-files.ts';
import { withStorageError } from './storage-error.ts';

export type { LockOwner } from './lock-files.ts';

/** Tells whether the process that owns a lock still runs. Provided by the process layer. */
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
  /** Publishes the owner's address for servers that are started later. */
  publish(url: string): Promise<void>;
  /** Releases the lock. Idempotent. */
  release(): Promise<void>;
}

export type LockResult =
  | { readonly kind: 'acquired'; readonly lock: DataLock }
  | { readonly kind: 'busy'; readonly owner: LockOwner };

/**
 * Ensures one server per data directory without the system's file locks, which Node does not offer.
 *
 * `owner.json` names the owner. It is created once, by link(2), which succeeds for exactly one of several processes,
 * and from then on only replaced by rename, never removed; an owner that exits records itself as released. Every claim
 * has its own id, used once. A process that finds the owner gone or released claims to be *its* successor by linking
 * `<owner id>.next`, which again succeeds for only one. Successors form a chain that starts at `owner.json`, and the
 * last in the chain owns the directory. The winner then writes itself to `owner.json` and removes the links.
 *
 * Such schemes usually fail at breaking a stale lock: a slow process acts on an owner that has since been replaced.
 * Here it can at worst create an `<old id>.next` that had already been removed. But links are removed only after
 * `owner.json` was replaced, so by then the chain no longer goes through the old id and never will again. A claim is
 * therefore valid only if, read after creating the link, the chain from `owner.json` leads to it. A valid claim cannot
 * be lost: only an owner replaces `owner.json`, and there is no other owner.
 *
 * An owner is gone if no process has its pid *and* its start time. That never changes back.
 */
export async function acquireDataLock(options: DataLockOptions): Promise<LockResult> {
  const { dataDir, probe, fs = nodeFileSystem, newId = randomUUID } = options;
  return withStorageError(`The data directory ${dataDir} could not be locked`, async () => {
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
  // Writes are queued, and none follows a release, not even a failed one: the release may be visible already, and a
  // later write would take the directory away from the next owner.
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
 * Waits for the owner's address, which it publishes once it listens. Resolves to undefined when the owner exits
 * meanwhile, so that the caller can try the lock again. Throws DATA_DIR_BUSY after a timeout.
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
    `Another server (process ${pid}) is using ${dataDir} but has not published its address. Stop it, or choose another data directory with --data-dir.`,
    { details: { pid } },
  );
}
