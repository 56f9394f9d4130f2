import type { KeepStatus } from '../../shared/entities.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { NativeFiles, NativeSession } from '../engine/native-files.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import { createTimeSlices } from '../time-slice.ts';
import type { Copies } from './copies.ts';
import { copySession } from './copy-session.ts';
import { explainProblem, type KeepProblem } from './keep-problem.ts';
import type { KeptFiles } from './kept-files.ts';
import type { Source } from './kept-index.ts';
import { readCopy } from './read-copy.ts';
import { createThrottle } from './throttle.ts';

/** An agent, as far as copying is concerned. */
export type KeptAgent = Pick<CliProvider, 'cliType' | 'label' | 'nativeFiles'>;

export interface KeeperOptions {
  readonly copies: Copies;
  readonly files: KeptFiles;
  readonly agents: () => readonly KeptAgent[];
  readonly projectDirs: () => readonly string[];
  /** Undefined for a session that is not known any more. */
  readonly projectDirOf: (sessionId: SessionId) => string | undefined;
  readonly clock: Clock;
  readonly limitBytes: number;
  readonly timing: KeeperTiming;
  /** Called when the state or the problem has changed. */
  readonly onChange: () => void;
  /** Called when a session that was to be copied soon has its first copy. */
  readonly onKept: (sessionId: SessionId) => void;
}

export interface KeeperTiming {
  /** When to look for the first time. Delayed, because the start comes first. */
  readonly firstLookMs: number;
  readonly lookEveryMs: number;
  /** How long after the end of a turn its session is copied. */
  readonly soonMs: number;
  readonly bytesPerSecond: number;
}

/** Copies transcripts in the background, one at a time. */
export interface Keeper {
  start(): void;
  /** Copies a session soon. */
  copySoon(sessionId: SessionId): void;
  /** Looks at everything now. Resolves when it was looked at. */
  lookNow(): Promise<void>;
  /** Does something while nothing is copied. */
  between<T>(task: () => Promise<T>): Promise<T>;
  state(): Pick<KeepStatus, 'state' | 'message'>;
  /** Stops as soon as possible; what is missing is copied after the next start. */
  close(): Promise<void>;
}

export function createKeeper(options: KeeperOptions): Keeper {
  const { copies, files, clock, timing, onChange } = options;
  const aborter = new AbortController();
  const throttle = createThrottle(clock, timing.bytesPerSecond, aborter.signal);
  const takeTurns = createTimeSlices();
  const soon = new Set<SessionId>();
  const unchanged = new Map<string, Map<string, Source>>();
  let isCopying = false;
  let problem: KeepProblem | undefined;
  let lookTimer: unknown;
  let soonTimer: unknown;
  let work: Promise<void> = Promise.resolve();

  function setCopying(next: boolean): void {
    if (isCopying === next) return;
    isCopying = next;
    if (problem === undefined) onChange();
  }

  function setProblem(next: KeepProblem | undefined): void {
    if (problem?.message === next?.message) return;
    problem = next;
    onChange();
  }

  async function copyOne({ cliType }: KeptAgent, native: NativeFiles, session: NativeSession): Promise<void> {
    const id = { cliType, nativeId: session.nativeId };
    const key = `${cliType}:${session.nativeId}`;
    const copy = await copies.open(id);
    const known = unchanged.get(key) ?? new Map<string, Source>();
    let isComplete = false;
    try {
      isComplete = await copySession(session, {
        copy,
        home: native.home(),
        readCopy: async () => (await readCopy(copies.directoryOf(id), files)) ?? [],
        async beforeRead(bytes) {
          setCopying(true);
          await throttle(bytes);
        },
        unchanged: known,
      });
    } catch (error) {
      // What is on disk may differ from what is in memory.
      copies.close(id);
      throw error;
    } finally {
      copies.noteLook(id, isComplete);
      if (known.size > 0) unchanged.set(key, known);
    }
  }

  /** Returns what went wrong. Rejects only when it is to stop. */
  async function tryCopy(agent: KeptAgent, native: NativeFiles, session: NativeSession) {
    try {
      await copyOne(agent, native, session);
      return undefined;
    } catch (error) {
      aborter.signal.throwIfAborted();
      return explainProblem(error, agent.label, options.limitBytes);
    }
  }

  async function copySoonOnes(): Promise<void> {
    for (const sessionId of soon) {
      soon.delete(sessionId);
      aborter.signal.throwIfAborted();
      const agent = options.agents().find(({ cliType }) => cliType === fromCanonical(sessionId).cliType);
      const projectDir = options.projectDirOf(sessionId);
      const native = agent?.nativeFiles;
      if (agent === undefined || native === undefined || projectDir === undefined) continue;
      const id = { cliType: agent.cliType, nativeId: native.nativeIdOf(sessionId) };
      const wasKept = copies.has(id);
      const session = await native.find(id.nativeId, projectDir);
      if (session === undefined) continue;
      const failed = await tryCopy(agent, native, session);
      if (failed !== undefined) setProblem(failed);
      if (!wasKept && copies.has(id)) options.onKept(sessionId);
    }
  }

  async function lookAtAll(): Promise<void> {
    let first: KeepProblem | undefined;
    for (const agent of options.agents()) {
      if (agent.nativeFiles === undefined) continue;
      for await (const session of agent.nativeFiles.list(options.projectDirs())) {
        aborter.signal.throwIfAborted();
        await copySoonOnes();
        const failed = await tryCopy(agent, agent.nativeFiles, session);
        first ??= failed;
        if (failed?.affectsAll) return setProblem(failed);
        await takeTurns();
      }
    }
    setProblem(first);
  }

  function enqueue(task: () => Promise<void>): Promise<void> {
    work = work
      .then(task)
      .catch((error: unknown) => {
        if (!aborter.signal.aborted) setProblem(explainProblem(error, 'an agent', options.limitBytes));
      })
      .then(() => setCopying(false));
    return work;
  }

  function scheduleLook(ms: number): void {
    lookTimer = clock.setTimeout(() => {
      void enqueue(lookAtAll).then(() => {
        if (!aborter.signal.aborted) scheduleLook(timing.lookEveryMs);
      });
    }, ms);
  }

  return {
    start: () => scheduleLook(timing.firstLookMs),
    copySoon(sessionId) {
      soon.add(sessionId);
      clock.clearTimeout(soonTimer);
      soonTimer = clock.setTimeout(() => void enqueue(copySoonOnes), timing.soonMs);
    },
    lookNow: () => enqueue(lookAtAll),
    between(task) {
      const done = work.then(task);
      work = done.then(
        () => {},
        () => {},
      );
      return done;
    },
    state() {
      if (problem !== undefined) return { state: problem.state, message: problem.message };
      return { state: isCopying ? 'copying' : 'idle' };
    },
    async close() {
      clock.clearTimeout(lookTimer);
      clock.clearTimeout(soonTimer);
      aborter.abort();
      await work;
    },
  };
}
