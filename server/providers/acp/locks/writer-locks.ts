import { join } from 'node:path';
import type { Holder } from '../../../../shared/entities.ts';
import type { Clock } from '../../../clock.ts';
import type { Holders } from '../../../engine/native-sessions.ts';
import type { FolderWatches } from '../../../folder-watches.ts';
import { listFileLocks } from './file-locks.ts';
import { readProcessFacts } from './process-facts.ts';

export interface WriterLocksOptions {
  /** What the agent is called. */
  readonly label: string;
  readonly clock: Clock;
  readonly watches?: FolderWatches | undefined;
  /** The process groups of our own agents. */
  readonly ownGroups: ReadonlySet<number>;
  /** Where the system shows its processes and locks. */
  readonly proc?: string;
  readonly platform?: NodeJS.Platform;
}

/** Nobody is told when a lock of a file that exists is taken or released. */
const CHECK_WHILE_HELD_MS = 1_000;
const CHECK_MS = 3_000;

/**
 * Who has conversations of Codex open: it locks `thread-writer-locks/<id>.lock` for each. Only Linux tells which process
 * has a lock. Elsewhere nobody seems to, and opening a session is the only test.
 */
export function createWriterLocks(home: string, options: WriterLocksOptions): Holders {
  const { label, clock, watches, ownGroups, proc = '/proc', platform = process.platform } = options;
  const folder = join(home, 'thread-writer-locks');
  const listeners = new Set<() => void>();
  let timer: unknown;
  let endWatch: (() => void) | undefined;
  let last: string | undefined;
  let isChecking = false;

  async function all(): Promise<ReadonlyMap<string, Holder>> {
    const holders = new Map<string, Holder>();
    if (platform !== 'linux') return holders;
    for (const { name, pid } of await listFileLocks(folder, proc)) {
      const [, nativeId] = /^([^.].*)\.lock$/.exec(name) ?? [];
      const facts = await readProcessFacts(pid, proc);
      if (nativeId === undefined || facts === undefined || ownGroups.has(facts.groupId)) continue;
      const { tty, since } = facts;
      holders.set(nativeId, { label, pid, ...(tty && { tty }), ...(since && { since }), certain: true });
    }
    return holders;
  }

  function checkLater(isHeld: boolean): void {
    clock.clearTimeout(timer);
    if (listeners.size > 0) timer = clock.setTimeout(() => void check(), isHeld ? CHECK_WHILE_HELD_MS : CHECK_MS);
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const found = await all().catch(() => new Map<string, Holder>());
    isChecking = false;
    const now = JSON.stringify([...found].toSorted());
    const isChanged = last !== undefined && last !== now;
    last = now;
    checkLater(found.size > 0);
    if (isChanged) for (const listener of [...listeners]) listener();
  }

  return {
    all: () => all().catch(() => new Map<string, Holder>()),
    find: async (nativeId) => (await all().catch(() => undefined))?.get(nativeId),
    watch(listener) {
      if (platform !== 'linux') return () => {};
      // Each call counts, also if the listener is the same.
      const own = () => listener();
      listeners.add(own);
      endWatch ??= watches?.watch(folder, () => void check());
      if (listeners.size === 1) void check();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        clock.clearTimeout(timer);
        endWatch?.();
        endWatch = undefined;
        last = undefined;
      };
    },
  };
}
