import { median, quantile } from '../report.ts';

/** Measured times by name. */
export interface Samples {
  add(name: string, ms: number): void;
  has(name: string): boolean;
  median(name: string): number;
  /** "median (P95)" in milliseconds. */
  text(name: string): string;
}

export function createSamples(): Samples {
  const all = new Map<string, number[]>();
  const of = (name: string) => all.get(name) ?? [];
  const show = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
  return {
    add(name, ms) {
      all.set(name, [...of(name), ms]);
    },
    has: (name) => all.has(name),
    median: (name) => median(of(name)),
    text: (name) => `${show(median(of(name)))} (${show(quantile(of(name), 0.95))}) ms`,
  };
}

/** Milliseconds until the promise settles. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}
