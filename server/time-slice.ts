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
