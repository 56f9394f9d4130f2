import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ServerProcess } from '../../tests/support/product/server-process.ts';
import type { BenchRow } from '../report.ts';

/** The longest time that the server took to answer, on the clock and in processor time of its own. */
export interface Silence {
  readonly clockMs: number;
  readonly busyMs: number;
}

export interface Probe {
  /** Since the last call. */
  longest(): Promise<Silence>;
  stop(): Promise<void>;
}

/** Watches from outside how long the server is silent. */
export function startProbe({ origin, pid }: Pick<ServerProcess, 'origin' | 'pid'>): Probe {
  const worker = new Worker(new URL('probe-worker.mjs', import.meta.url), { workerData: { origin, pid } });
  const ask = async (word: 'read' | 'stop'): Promise<Silence> => {
    worker.postMessage(word);
    const [longest] = (await once(worker, 'message')) as [Silence];
    return longest;
  };
  return {
    longest: () => ask('read'),
    async stop() {
      await ask('stop');
      await worker.terminate();
    },
  };
}

const MAX_SILENCE_MS = 200;

/** The target is about processor time, because the clock also counts other work on the machine. */
export function silenceRow(what: string, silences: readonly Silence[]): BenchRow {
  const list = (value: (silence: Silence) => number) => silences.map((one) => value(one).toFixed(0)).join(', ');
  return {
    measure: `${what}: longest silence of the server in processor time (on the clock), ms`,
    value: `${list(({ busyMs }) => busyMs)} (${list(({ clockMs }) => clockMs)})`,
    target: `≤ ${MAX_SILENCE_MS} ms`,
    met: silences.every(({ busyMs }) => busyMs <= MAX_SILENCE_MS),
  };
}

/** How much more one unit costs at the last size than at the one before it. */
export function growthRow(what: string, sizes: readonly number[], times: readonly number[]): BenchRow {
  const last = times.length - 1;
  const perUnit = (at: number) => (times[at] ?? Number.NaN) / (sizes[at] ?? Number.NaN);
  const growth = perUnit(last) / perUnit(last - 1);
  return { measure: what, value: `${growth.toFixed(2)} ×`, target: '≤ 2 ×', met: growth <= 2 };
}
