import { handleCount, residentMib } from '../product/process-facts.ts';

export interface Sample {
  readonly seconds: number;
  readonly mib: number;
  readonly handles: number;
}

/** Samples memory and handles of a process once a second. */
export function startSampling(pid: number): { readonly samples: readonly Sample[]; stop(): void } {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1000;
    samples.push({ seconds, mib: residentMib(pid), handles: handleCount(pid) });
  }, 1000);
  return { samples, stop: () => clearInterval(timer) };
}

/** By least squares, per minute. */
export function slopePerMinute(samples: readonly Sample[], measure: (sample: Sample) => number): number {
  const xs = samples.map(({ seconds }) => seconds / 60);
  const ys = samples.map(measure);
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, index) => sum + (x - meanX) * ((ys[index] ?? 0) - meanY), 0);
  const variance = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
