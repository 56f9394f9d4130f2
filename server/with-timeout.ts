import type { Clock } from './clock.ts';

/** Settles like the promise, or resolves to undefined after the timeout. Does not stop what the promise stands for. */
export async function withTimeout<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: unknown;
  const timeout = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clock.clearTimeout(timer);
  }
}
