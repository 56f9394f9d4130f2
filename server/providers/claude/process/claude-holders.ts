import { join } from 'node:path';
import type { Holder } from '../../../../shared/entities.ts';
import type { Clock } from '../../../clock.ts';
import type { Holders } from '../../../engine/native-sessions.ts';
import type { FolderWatches } from '../../../folder-watches.ts';
import { type ProcessTable, terminalOf } from '../../../processes/index.ts';
import { configDirectory, type Environment } from '../transcript/transcript-files.ts';
import { createRunningSessions, type RunningSession } from './running-sessions.ts';

export interface ClaudeHoldersDeps {
  readonly env: Environment;
  readonly label: string;
  readonly processTable: ProcessTable;
  readonly clock: Clock;
  readonly folderWatches: FolderWatches;
  /** Whether we started the process. */
  readonly isOurs: (pid: number) => boolean;
}

/** A process that was killed leaves its entry behind, so that the folder does not change. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Finds other processes that have conversations open. Claude Code itself does not prevent that: both would write to the
 * transcript, and the model would be given the messages of one of them only.
 */
export function createClaudeHolders(deps: ClaudeHoldersDeps): Holders {
  const { label, processTable, clock, folderWatches, isOurs } = deps;
  const folder = join(configDirectory(deps.env), 'sessions');
  const running = createRunningSessions(folder, processTable);
  const listeners = new Set<() => void>();
  const terminals = new Map<string, Promise<string | undefined>>();
  let stop: (() => void) | undefined;

  async function others(): Promise<readonly RunningSession[]> {
    return (await running.list()).filter(({ pid }) => !isOurs(pid));
  }

  async function describe(session: RunningSession): Promise<Holder> {
    const { pid, startedAt, status, procStart } = session;
    const key = `${pid} ${procStart}`;
    if (!terminals.has(key)) terminals.set(key, terminalOf(pid));
    const tty = await terminals.get(key);
    return {
      label,
      pid,
      ...(tty !== undefined && { tty }),
      ...(isTime(startedAt) && { since: new Date(startedAt).toISOString() }),
      ...(status !== undefined && { status }),
      certain: true,
    };
  }

  async function all(): Promise<ReadonlyMap<string, Holder>> {
    const sessions = await others();
    const holders = await Promise.all(sessions.map(async (each) => [each.sessionId, await describe(each)] as const));
    const keys = new Set(sessions.map(({ pid, procStart }) => `${pid} ${procStart}`));
    for (const key of [...terminals.keys()]) if (!keys.has(key)) terminals.delete(key);
    return new Map(holders);
  }

  /** Tells the listeners when the folder changes, and when a process of which it has an entry ends. */
  function begin(): () => void {
    let alive = '';
    let timer: unknown;
    let isStopped = false;

    const tell = () => {
      if (!isStopped) for (const listener of [...listeners]) listener();
    };
    /** Resolves to whether anything has changed since the last look. */
    const look = async () => {
      const before = alive;
      alive = (await others()).map(({ pid, sessionId }) => `${pid} ${sessionId}`).join('\n');
      return before !== alive;
    };
    const lookAgain = async () => {
      if (await look()) tell();
      if (!isStopped) timer = clock.setTimeout(() => void lookAgain(), LOOK_AGAIN_MS);
    };
    // Looks as well: one that begins and is killed between two other looks would be told of only when it begins.
    const unwatch = folderWatches.watch(folder, () => void look().then(tell));
    void lookAgain();
    return () => {
      isStopped = true;
      clock.clearTimeout(timer);
      unwatch();
    };
  }

  return {
    async find(nativeId) {
      const session = (await others()).find(({ sessionId }) => sessionId === nativeId);
      return session && describe(session);
    },
    all,
    watch(listener) {
      // Each call counts, even for a function that listens already.
      const own = () => listener();
      listeners.add(own);
      stop ??= begin();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

const isTime = (ms: number | undefined): ms is number => ms !== undefined && Math.abs(ms) < 8.64e15;
