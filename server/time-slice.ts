import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 15;

/**
 * For long work in a loop: call it after each step and await what it returns, if anything. Everything else that the
 * server has to do gets its turn then.
 */
export type TakeTurns = () => Promise<void> | undefined;

export function createTimeSlices(sliceMs = SLICE_MS): TakeTurns {
  let since = performance.now();

  async function letOthersRun(): Promise<void> {
    await setImmediate();
    since = performance.now();
  }

  return () => (performance.now() - since < sliceMs ? undefined : letOthersRun());
}

/** Work that yields after each small step, so that it can be spread over time. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Looking at the time costs more than most steps. */
const STEPS_PER_LOOK = 64;

/** Does the work in slices. */
export async function doInSlices<T>(steps: Steps<T>): Promise<T> {
  const takeTurns = createTimeSlices();
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const others = count % STEPS_PER_LOOK === 0 ? takeTurns() : undefined;
    if (others !== undefined) await others;
  }
}

export function doAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
