import type { Clock } from '../../../server/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on and runs what falls due on the way, in order. */
  advance(ms: number): void;
  pendingTimers(): number;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

export const START = Date.parse('2026-01-01T00:00:00.000Z');

export function createManualClock(): ManualClock {
  let elapsed = 0;
  const timers = new Set<Timer>();

  const next = (until: number) => [...timers].filter((timer) => timer.due <= until).sort((a, b) => a.due - b.due)[0];

  return {
    now: () => new Date(START + elapsed).toISOString(),
    monotonic: () => elapsed,
    setTimeout(run, ms) {
      const timer = { due: elapsed + ms, run };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (handle) => {
      timers.delete(handle as Timer);
    },
    advance(ms) {
      const until = elapsed + ms;
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        timers.delete(timer);
        elapsed = timer.due;
        timer.run();
      }
      elapsed = until;
    },
    pendingTimers: () => timers.size,
  };
}
