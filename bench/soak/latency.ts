import { createHistogram, type Histogram } from './histogram.ts';

/** How old tokens are when they are read. Every token is the time of its print. */
export interface Latency {
  /** Of the newest token in each piece of text. */
  readonly newest: Histogram;
  /** Of every token, the wait for its batch included. */
  readonly every: Histogram;
  /** `at` in milliseconds of the epoch. */
  take(text: string, at: number): void;
}

/** `epoch` is the moment from which the tokens count. */
export function createLatency(epoch: number): Latency {
  const [newest, every] = [createHistogram(), createHistogram()];
  return {
    newest,
    every,
    take(text, at) {
      const ages = text
        .trim()
        .split(' ')
        .map((token) => at - epoch - Number.parseInt(token, 36) / 10);
      for (const age of ages) every.add(age);
      newest.add(ages.at(-1) ?? 0);
    },
  };
}
