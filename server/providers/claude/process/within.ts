import type { Clock } from '../../../clock.ts';

/** What the promise comes to, or undefined when it takes longer than this. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: unknown;
  const deadline = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clock.clearTimeout(timer);
  }
}
