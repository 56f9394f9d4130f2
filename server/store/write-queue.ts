import type { Clock } from '../clock.ts';

export interface WriteQueueOptions {
  /** Saves the value as it is when called. Never called while a former call is under way. */
  readonly save: () => Promise<void>;
  readonly delayMs: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export interface WriteQueue {
  /**
   * Settles with the save that carries this change: one that started after the call. Failures also go to `onError`,
   * so the promise may be ignored. A failed save is not repeated by itself; the next request or `flush` carries all.
   */
  request(): Promise<void>;
  /** Saves now what is not saved yet, failed changes included. */
  flush(): Promise<void>;
}

/** The delay counts from the first unsaved change, so a steady stream of changes cannot put the save off for ever. */
export function createWriteQueue({ save, delayMs, clock, onError }: WriteQueueOptions): WriteQueue {
  let waiting: PromiseWithResolvers | undefined;
  let lastSave: Promise<void> = Promise.resolve();
  let timer: unknown;
  let requested = 0;
  let saved = 0;

  function request(): Promise<void> {
    requested += 1;
    if (waiting === undefined) {
      waiting = withResolvers();
      waiting.promise.catch(onError);
      timer = clock.setTimeout(start, delayMs);
    }
    return waiting.promise;
  }

  /** Requests may join until the save really starts, which is when the one before it has ended. */
  function start(): void {
    clock.clearTimeout(timer);
    lastSave = lastSave.then(runWaiting);
  }

  async function runWaiting(): Promise<void> {
    const batch = waiting;
    if (batch === undefined) return;
    waiting = undefined;
    clock.clearTimeout(timer);
    const carried = requested;
    try {
      await save();
      saved = carried;
      batch.resolve();
    } catch (error) {
      batch.reject(error);
    }
  }

  return {
    request,
    async flush() {
      await lastSave;
      if (saved === requested) return;
      const carried = request();
      start();
      await carried;
    },
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  let reject = (_: unknown) => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
