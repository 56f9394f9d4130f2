import type { Clock } from '../clock.ts';

export interface WriteQueueOptions {
  /** Saves the current value. Never called while an earlier call is pending. */
  readonly save: () => Promise<void>;
  readonly delayMs: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export interface WriteQueue {
  /**
   * Settles with the save that includes this change, which starts after the call. Failures also go to `onError`, so the
   * promise may be ignored. A failed save is not retried; the next request or `flush` saves everything.
   */
  request(): Promise<void>;
  /** Saves unsaved changes now, including those whose save failed. */
  flush(): Promise<void>;
}

/** The delay counts from the first unsaved change, so that steady changes cannot postpone the save forever. */
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

  /** Requests can join until the save starts, which is when the previous one has finished. */
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
