import type { Clock } from '../../../scripted-model/index.ts';

export interface SteppingClock extends Clock {
  readonly sleeps: readonly number[];
  /** Lets time pass without anyone sleeping. */
  advance(ms: number): void;
}

/** Time passes only when someone sleeps, and then at once. */
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
