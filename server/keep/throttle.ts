import type { Clock } from '../clock.ts';

/** Resolves when that many more bytes may be read. Rejects as soon as `signal` aborts. */
export type Throttle = (bytes: number) => Promise<void>;

export function createThrottle(clock: Clock, bytesPerSecond: number, signal: AbortSignal): Throttle {
  /** When everything that was allowed so far has been paid for. */
  let paidAt = 0;

  return async (bytes) => {
    signal.throwIfAborted();
    const now = clock.monotonic();
    const wait = paidAt - now;
    paidAt = Math.max(now, paidAt) + (bytes / bytesPerSecond) * 1_000;
    if (wait > 0) await sleep(clock, wait, signal);
  };
}

function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
