import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../scripted-model/server/clock.ts';

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('the system clock', () => {
  it('resolves a sleep after its time', async () => {
    const start = systemClock.now();
    await systemClock.sleep(5, new AbortController().signal);
    expect(systemClock.now() - start).toBeGreaterThanOrEqual(4);
  });

  it('rejects a sleep that is aborted and leaves no timer', async () => {
    const controller = new AbortController();
    const before = timers();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    expect(timers()).toBe(before + 1);
    controller.abort(new Error('called away'));
    expect(timers()).toBe(before);
    await expect(sleeping).rejects.toThrow('called away');
  });

  it('rejects a sleep that was aborted before it began', async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error('called away')))).rejects.toThrow('called away');
  });
});
