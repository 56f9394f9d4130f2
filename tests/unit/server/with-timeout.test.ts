import { expect, it } from 'vitest';
import { withTimeout } from '../../../server/with-timeout.ts';
import { createManualClock } from '../../support/manual-clock.ts';

it('resolves to the value of a promise that settles in time, and clears its timer', async () => {
  const clock = createManualClock();
  await expect(withTimeout(clock, 100, Promise.resolve('done'))).resolves.toBe('done');
  expect(clock.pending).toBe(0);
});

it('rejects like a promise that rejects in time, and clears its timer', async () => {
  const clock = createManualClock();
  await expect(withTimeout(clock, 100, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(clock.pending).toBe(0);
});

it('resolves to undefined when the promise takes longer', async () => {
  const clock = createManualClock();
  const result = withTimeout(clock, 100, new Promise<string>(() => {}));
  clock.advance(100);
  await expect(result).resolves.toBeUndefined();
});

it('leaves no unhandled rejection when the promise fails after the timeout', async () => {
  const clock = createManualClock();
  let reject = (_error: Error) => {};
  const promise = new Promise<string>((_resolve, fail) => {
    reject = fail;
  });
  const result = withTimeout(clock, 100, promise);
  clock.advance(100);
  await expect(result).resolves.toBeUndefined();
  // The runner fails on an unhandled rejection.
  reject(new Error('too late'));
  await new Promise(setImmediate);
});
