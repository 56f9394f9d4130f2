import { abortable } from '../abortable.ts';
import type { Clock } from '../clock.ts';
import { createDeferred } from '../deferred.ts';
import { createRetryMachine, type RetryStatus } from '../processes/index.ts';
import type { AgentProcess, ProcessEnd } from './driver.ts';
import { ProviderError } from './provider-errors.ts';

export interface ProcessKeeperOptions {
  readonly label: string;
  readonly clock: Clock;
  /** How long a process may take to get ready. */
  readonly startTimeoutMs: number;
  readonly launch: (signal: AbortSignal) => Promise<AgentProcess>;
  readonly onStatus: (status: RetryStatus) => void;
  /** Called once when a process that was ready has ended, before the status changes. */
  readonly onEnded: (end: ProcessEnd) => void;
}

/**
 * Keeps one process: starts it on demand, enforces the start deadline, and restarts it after a crash. A new process
 * starts only after the previous one has ended.
 */
export interface ProcessKeeper {
  readonly status: RetryStatus;
  /** The process, from ready until it has ended. */
  readonly current: AgentProcess | undefined;
  /** The process, from its start until it has ended. */
  readonly running: AgentProcess | undefined;
  /**
   * Returns a ready process, starting one if necessary. Rejects with a ProviderError, or at once with the signal's
   * reason. A start without any caller left is aborted.
   */
  ensure(signal?: AbortSignal): Promise<AgentProcess>;
  /** Starts the process and resolves before it is ready. `adopted`: use this running process instead of a new one. */
  launch(adopted?: AgentProcess): Promise<void>;
  /** Reconnects at the user's request, with a new series of retries. */
  reconnect(): Promise<void>;
  /** Ends the process, or aborts its start. There is no retry, but a later `ensure` starts another process. */
  stop(reason: string): Promise<void>;
  /** Resolves when the last process has ended. */
  settled(): Promise<void>;
}

const cancelled = () => new ProviderError('CANCELLED');

export function createProcessKeeper(options: ProcessKeeperOptions): ProcessKeeper {
  const { label, clock, startTimeoutMs } = options;
  let current: AgentProcess | undefined;
  let adopted: AgentProcess | undefined;
  /** Settles when nothing is left of the last process. */
  let gone: Promise<unknown> = Promise.resolve();
  let launched = createDeferred();
  let waiting = 0;
  let running: AgentProcess | undefined;

  const machine = createRetryMachine({ connect, onStatus: options.onStatus, isTransient, clock });

  async function connect(signal: AbortSignal): Promise<void> {
    const previous = gone;
    const { promise, resolve: settle } = createDeferred();
    gone = promise;
    const { promise: called, reject: callOff } = createDeferred<never>();
    called.catch(() => {});
    const onAbort = () => callOff(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = clock.setTimeout(() => callOff(timedOut(label, startTimeoutMs)), startTimeoutMs);
    let process: AgentProcess | undefined;
    try {
      await Promise.race([previous, called]);
      const aborter = new AbortController();
      const launching = adopted === undefined ? options.launch(aborter.signal) : Promise.resolve(adopted);
      adopted = undefined;
      process = await Promise.race([launching, called]).catch(async (error: unknown) => {
        aborter.abort(error);
        // Kill it if it starts after all.
        void launching.then((late) => late.kill('not wanted any more')).catch(() => {});
        await launching.then((late) => late.ended).catch(() => {});
        throw error;
      });
      running = process;
      launched.resolve();
      await Promise.race([process.ready, failedStart(process), called]);
      if (signal.aborted) throw cancelled();
      current = process;
      watch(process, settle);
    } catch (error) {
      await process?.kill('did not start');
      await process?.ended;
      running = undefined;
      // A start that was aborted early must still wait for the previous process.
      void previous.then(() => settle());
      const failure = withLastWords(error, process);
      launched.reject(failure);
      throw failure;
    } finally {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  function watch(process: AgentProcess, settle: () => void): void {
    void process.ended.then((end) => {
      current = undefined;
      running = undefined;
      settle();
      options.onEnded(end);
      if (end.isExpected) machine.stop();
      else machine.lost(end.refusal);
    });
  }

  function begin(start: () => Promise<void>): Promise<void> {
    launched.promise.catch(() => {});
    return start().catch((error: unknown) => {
      throw toProviderError(error, label);
    });
  }

  return {
    get status() {
      return machine.current;
    },
    get current() {
      return current;
    },
    get running() {
      return running;
    },
    async ensure(signal) {
      signal?.throwIfAborted();
      if (current?.isOpen()) return current;
      waiting += 1;
      try {
        // A process that is not open is about to end. Start the next one after that.
        if (current !== undefined) await abortable(gone, signal);
        await abortable(
          begin(() => machine.ensureConnected()),
          signal,
        );
      } finally {
        waiting -= 1;
        if (signal?.aborted && waiting === 0 && current === undefined) machine.stop();
      }
      if (current === undefined) throw new ProviderError('PROCESS_CRASH');
      return current;
    },
    async launch(process) {
      if (current !== undefined) return;
      adopted = process;
      launched = createDeferred();
      const ready = begin(() => machine.ensureConnected());
      ready.catch(() => {});
      await Promise.race([launched.promise, ready]);
    },
    async reconnect() {
      if (current?.isOpen() === false) await gone;
      await begin(() => machine.reconnect());
    },
    async stop(reason) {
      machine.stop();
      await current?.stop(reason);
      await gone;
    },
    async settled() {
      await gone;
    },
  };
}

/** Rejects when the process ends before it is ready. */
async function failedStart(process: AgentProcess): Promise<never> {
  const { refusal } = await process.ended;
  throw refusal;
}

function timedOut(label: string, ms: number): ProviderError {
  return new ProviderError(
    'AGENT_UNAVAILABLE',
    `${label} did not get ready within ${ms / 1000} s and was ended. Check that it runs in a terminal, then try again.`,
  );
}

function withLastWords(error: unknown, process: AgentProcess | undefined): unknown {
  const words = process?.stderrTail().trim().slice(-500) ?? '';
  if (!(error instanceof ProviderError) || words === '' || error.message.includes(words)) return error;
  if (error.code !== 'AGENT_UNAVAILABLE') return error;
  return new ProviderError(error.code, `${error.message} It said: "${words}".`, {
    cause: error,
    details: error.details,
  });
}

function toProviderError(error: unknown, label: string): ProviderError {
  if (error instanceof ProviderError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ProviderError('AGENT_UNAVAILABLE', `${label} could not be started. ${reason}`, { cause: error });
}

/** Errors that a retry does not fix. */
const LASTING: ReadonlySet<string> = new Set([
  'SESSION_NOT_FOUND',
  'SESSION_IN_USE',
  'AGENT_NOT_SIGNED_IN',
  'PROJECT_PATH_INVALID',
  'PROJECT_NOT_TRUSTED',
]);

function isTransient(error: unknown): boolean {
  if (!(error instanceof ProviderError)) return true;
  const { details } = error;
  const isMissing = typeof details === 'object' && details !== null && 'installed' in details && !details.installed;
  return !LASTING.has(error.code) && !isMissing;
}
