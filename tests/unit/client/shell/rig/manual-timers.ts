import type { Timers } from '../../../../../client/shared/timers.ts';

interface Timer {
  at: number;
  readonly run: () => void;
  readonly every?: number;
}

/** Timers that the test advances. */
export interface ManualTimers extends Timers {
  advance(ms: number): void;
  /** The remaining time of each timer. */
  pending(): number[];
}

export function createManualTimers(): ManualTimers {
  const timers = new Set<Timer>();
  let now = 0;

  function set(timer: Timer): () => void {
    timers.add(timer);
    return () => timers.delete(timer);
  }

  return {
    after: (ms, run) => set({ at: now + ms, run }),
    every: (ms, run) => set({ at: now + ms, run, every: ms }),
    pending: () => [...timers].map(({ at }) => at - now),
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        now = next.at;
        if (next.every === undefined) timers.delete(next);
        else next.at += next.every;
        next.run();
      }
      now = end;
    },
  };
}
