import { createHistogram, type Histogram } from './histogram.ts';

/** The age of tokens when they are read. Every token is the time at which it was printed. */
export interface Latency {
  /** For the newest token in each piece of text. */
  readonly newest: Histogram;
  /** For every token, including the wait for its batch. */
  readonly every: Histogram;
  /** `at` in milliseconds since the epoch. */
  take(text: string, at: number): void;
}

/** `epoch` is the start of the tokens' time scale. */
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
