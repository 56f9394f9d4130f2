import { toCanonical } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { AgentProcess, Driver } from './driver.ts';
import type { Admission } from './project-gate.ts';

/** A process that was started before its session was created. */
export interface SpareProcess {
  readonly nativeId: string;
  readonly process: AgentProcess;
}

/** Keeps one warmed process for the next new session in the most recently used directory. */
export interface Spare {
  /** Schedules a spare for this directory. It replaces the spare of another directory. */
  prepare(projectDir: string): void;
  /**
   * Hands over the spare of this directory. Undefined if there is none, or if it was started under other conditions: then
   * it is ended.
   */
  take(projectDir: string, admission: Admission): SpareProcess | undefined;
  isFor(projectDir: string): boolean;
  /** Ends it if it was started, or is being started, under other conditions. */
  follow(admission: Admission): Promise<void>;
  close(): Promise<void>;
}

export interface SpareOptions {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Delay after the directory was used, so that the user's own request comes first. */
  readonly delayMs: number;
  /** An unused spare is ended after this time. */
  readonly keepMs: number;
  readonly startTimeoutMs: number;
}

interface Held extends Omit<SpareProcess, 'process'> {
  readonly projectDir: string;
  readonly aborter: AbortController;
  /** Resolves when the process has ended or was taken. */
  readonly done: Promise<void>;
  process?: AgentProcess;
  isTaken: boolean;
}

export function createSpare(options: SpareOptions): Spare {
  const { driver, clock, newId } = options;
  let held: Held | undefined;
  let timer: unknown;
  let isClosed = false;

  function start(projectDir: string): void {
    if (isClosed || (held !== undefined && held.projectDir === projectDir)) return;
    void discard();
    const nativeId = newId();
    const aborter = new AbortController();
    const target = { sessionId: toCanonical(driver.cliType, nativeId), nativeId, projectDir, wasUsed: false };
    const mine: Held = { nativeId, projectDir, aborter, isTaken: false, done: run() };
    held = mine;
    timer = clock.setTimeout(() => void discard(), options.keepMs);

    /** A failed spare is ignored: the session starts its own process and reports the error. */
    async function run(): Promise<void> {
      const late = clock.setTimeout(() => aborter.abort(), options.startTimeoutMs);
      try {
        await driver.checkStart(projectDir);
        const process = await driver.launch(target, aborter.signal);
        mine.process = process;
        void process.ended.then(() => {
          if (held === mine) held = undefined;
        });
        if (aborter.signal.aborted) await process.kill('spare not wanted any more');
        aborter.signal.addEventListener('abort', () => {
          if (!mine.isTaken) void process.kill('spare not wanted any more');
        });
        await process.ready;
        clock.clearTimeout(late);
        if (!mine.isTaken) await process.ended;
      } catch {
        if (held === mine) held = undefined;
      } finally {
        clock.clearTimeout(late);
      }
    }
  }

  async function discard(): Promise<void> {
    clock.clearTimeout(timer);
    const left = held;
    held = undefined;
    if (left === undefined) return;
    left.aborter.abort();
    await left.process?.kill('spare not wanted any more');
    await left.done;
  }

  return {
    prepare(projectDir) {
      if (isClosed || held?.projectDir === projectDir) return;
      clock.clearTimeout(timer);
      timer = clock.setTimeout(() => start(projectDir), options.delayMs);
    },
    take(projectDir, { withProjectSettings }) {
      const { process } = held ?? {};
      if (held === undefined || process === undefined || held.projectDir !== projectDir || !process.isOpen()) {
        return undefined;
      }
      if (process.withProjectSettings !== withProjectSettings) {
        void discard();
        return undefined;
      }
      const { nativeId } = held;
      held.isTaken = true;
      held = undefined;
      clock.clearTimeout(timer);
      return { nativeId, process };
    },
    isFor: (projectDir) => held?.projectDir === projectDir,
    async follow({ withProjectSettings }) {
      if (held?.process?.withProjectSettings !== withProjectSettings) await discard();
    },
    async close() {
      isClosed = true;
      await discard();
    },
  };
}
