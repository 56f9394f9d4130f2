import type { Clock } from '../../../scripted-model/index.ts';

export interface SteppingClock extends Clock {
  readonly sleeps: readonly number[];
  /** Advances the time without a sleep. */
  advance(ms: number): void;
}

/** A clock that advances only by sleeping, and then at once. */
export function createSteppingClock(): SteppingClock {
  const sleeps: number[] = [];
  let time = 0;
  return {
    sleeps,
    advance: (ms) => {
      time += ms;
    },
    now: () => time,
    sleep: async (ms) => {
      sleeps.push(ms);
      time += ms;
    },
  };
}
