import type { AgentStatus } from '../../shared/entities.ts';
import { type Clock, systemClock } from '../clock.ts';

const RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
const STABLE_AFTER_MS = 60_000;

export interface RetryStatus {
  readonly status: AgentStatus;
  /** The current or next automatic retry, from 1. Absent when not retrying. */
  readonly attempt?: number;
  readonly maxAttempts: number;
  /** How long until `attempt` starts; absent while it is running. */
  readonly retryInMs?: number;
  /** Why there is no connection. */
  readonly error?: unknown;
}

export interface RetryMachineOptions {
  /**
   * Connects: spawn and handshake. Must reject on failure, and must clean up when it rejects or when the signal aborts.
   */
  readonly connect: (signal: AbortSignal) => Promise<void>;
  /** Called on every change. */
  readonly onStatus: (status: RetryStatus) => void;
  /** False for failures that a retry cannot fix, such as a program that is not installed. */
  readonly isTransient?: (error: unknown) => boolean;
  readonly delaysMs?: readonly number[];
  readonly stableAfterMs?: number;
  readonly clock?: Clock;
}

export interface RetryMachine {
  readonly current: RetryStatus;
  /** Resolves when connected. Joins a running attempt or starts one, and rejects with its failure. */
  ensureConnected(): Promise<void>;
  /** Connects now at the user's request, with the full number of retries. Joins a running attempt. */
  reconnect(): Promise<void>;
  /** Reports a broken connection, which starts the retries. Ignored unless connected or connecting. */
  lost(error: unknown): void;
  /** Returns to idle: aborts a running attempt and cancels retries. */
  stop(): void;
}

interface Attempt {
  readonly controller: AbortController;
  readonly settled: Promise<void>;
  /** The connection broke before `connect` resolved. */
  lost?: { readonly error: unknown };
}

/**
 * `idle → starting → connected → disconnected → reconnecting`. A broken connection is retried after each of the delays
 * and is `reconnecting` in between; when they are used up it stays `disconnected` until `reconnect` is called. A first
 * start that fails is not retried, because its caller gets the error. The retries are reset once a connection has been
 * stable for a minute, so that a process that keeps crashing soon after its start is given up.
 */
export function createRetryMachine(options: RetryMachineOptions): RetryMachine {
  const { connect, onStatus, isTransient = () => true, clock = systemClock } = options;
  const { delaysMs = RETRY_DELAYS_MS, stableAfterMs = STABLE_AFTER_MS } = options;
  const maxAttempts = delaysMs.length;

  let current: RetryStatus = { status: 'idle', maxAttempts };
  let retriesUsed = 0;
  let attempt: Attempt | undefined;
  let timer: unknown;

  const enter = (status: AgentStatus, facts: Omit<RetryStatus, 'status' | 'maxAttempts'> = {}) => {
    current = { status, maxAttempts, ...facts };
    onStatus(current);
  };

  function begin(status: 'starting' | 'reconnecting', number?: number): Promise<void> {
    clock.clearTimeout(timer);
    const controller = new AbortController();
    const mine: Attempt = { controller, settled: run() };
    attempt = mine;
    enter(status, number === undefined ? {} : { attempt: number });
    return mine.settled;

    async function run(): Promise<void> {
      // Record the attempt and report its status before `connect` can settle.
      await null;
      let failure: { readonly error: unknown } | undefined;
      try {
        controller.signal.throwIfAborted();
        await connect(controller.signal);
        failure = mine.lost;
      } catch (error) {
        failure = { error };
      }
      if (controller.signal.aborted) throw controller.signal.reason;
      attempt = undefined;
      if (failure === undefined) return succeed();
      if (status === 'starting') giveUp(failure.error);
      else retryLater('reconnecting', failure.error);
      throw failure.error;
    }
  }

  function succeed(): void {
    enter('connected');
    timer = clock.setTimeout(() => {
      retriesUsed = 0;
    }, stableAfterMs);
  }

  function giveUp(error: unknown): void {
    clock.clearTimeout(timer);
    enter('disconnected', { error });
  }

  function retryLater(status: 'disconnected' | 'reconnecting', error: unknown): void {
    const delayMs = delaysMs[retriesUsed];
    if (delayMs === undefined || !isTransient(error)) {
      giveUp(error);
      return;
    }
    retriesUsed += 1;
    const number = retriesUsed;
    clock.clearTimeout(timer);
    enter(status, { attempt: number, retryInMs: delayMs, error });
    timer = clock.setTimeout(() => {
      begin('reconnecting', number).catch(() => {});
    }, delayMs);
  }

  return {
    get current() {
      return current;
    },
    async ensureConnected() {
      if (attempt !== undefined) return attempt.settled;
      if (current.status === 'connected') return;
      if (current.attempt !== undefined) return begin('reconnecting', current.attempt);
      retriesUsed = 0;
      return begin('starting');
    },
    async reconnect() {
      if (attempt !== undefined) return attempt.settled;
      if (current.status === 'connected') return;
      retriesUsed = 0;
      return begin('reconnecting');
    },
    lost(error) {
      if (attempt !== undefined) attempt.lost ??= { error };
      else if (current.status === 'connected') retryLater('disconnected', error);
    },
    stop() {
      clock.clearTimeout(timer);
      attempt?.controller.abort(new Error('The connection was stopped.'));
      attempt = undefined;
      retriesUsed = 0;
      if (current.status !== 'idle') enter('idle');
    },
  };
}
