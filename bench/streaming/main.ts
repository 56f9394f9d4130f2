import type { Batching } from '../../server/streaming/stream-core.ts';
import { LIVE_BATCHING, PROCESSOR_BATCHING } from '../../server/streaming/stream-core.ts';
import { type BenchReport, type BenchRow, median } from '../report.ts';
import { countEmissions, streamText } from './measure.ts';
import { type Transfer, withSocketBench } from './socket.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const RUNS = 5;
const SOCKET_RUNS = 3;

/** Measures the core: time per delta at the start and the end of a very long reply, and emissions. */
export async function run(): Promise<BenchReport> {
  streamText({ bytes: MIB, batching: LIVE_BATCHING });
  return {
    title: 'Streaming core',
    method: `10 MiB of words in deltas of 4 characters through the core as one message without listeners; CPU time, median of ${RUNS} runs. Emissions are counted on a manual clock.`,
    rows: [
      ...timing('live batching', LIVE_BATCHING),
      ...timing('processor batching', PROCESSOR_BATCHING),
      ...emissions(),
      ...(await throughSocket()),
    ],
    notes: [
      'The core is linear: it appends a delta and inspects only its characters. With appends the output is linear too: a window gets the text once, plus about 170 bytes for each batch. A window that does not ask for appends gets the whole text with every batch up to 32 KiB; of longer texts, at most 4 MiB a second.',
    ],
  };
}

function timing(label: string, batching: Batching): BenchRow[] {
  const runs = Array.from({ length: RUNS }, () => streamText({ bytes: 10 * MIB, batching }));
  const ratio = median(runs.map((run) => run.lastTenth / run.firstTenth));
  return [
    {
      measure: `time per delta, last tenth against first tenth, ${label}`,
      value: `${ratio.toFixed(2)} ×`,
      target: '≤ 2 ×',
      met: ratio <= 2,
    },
    {
      measure: `time per delta, first tenth / last tenth, ${label}`,
      value: `${micro(median(runs.map((run) => run.firstTenth)))} / ${micro(median(runs.map((run) => run.lastTenth)))}`,
    },
    {
      measure: `10 MiB in all, ${label}`,
      value: `${Math.round(median(runs.map((run) => run.totalMs)))} ms`,
    },
  ];
}

function emissions(): BenchRow[] {
  const measure = 'emissions per 10,000 tokens';
  const at = (batching: Batching, tokensPerSecond: number) =>
    String(countEmissions({ tokens: 10_000, tokensPerSecond, batching }));
  return [
    { measure: `${measure}, processor batching, any speed above 120 tokens/s`, value: at(PROCESSOR_BATCHING, 500) },
    { measure: `${measure}, live batching, 5,000 tokens/s`, value: at(LIVE_BATCHING, 5_000) },
    { measure: `${measure}, live batching, 500 tokens/s`, value: at(LIVE_BATCHING, 500) },
    { measure: `${measure}, live batching, 50 tokens/s`, value: at(LIVE_BATCHING, 50) },
  ];
}

/** Without appends a text is sent whole each time it grows. Both are measured in turn, in one run. */
async function throughSocket(): Promise<BenchRow[]> {
  const sizes = [16, 64, 256, 1024];
  const results = await withSocketBench(async (transfer) => {
    await transfer(64 * KIB, true);
    const found: { kib: number; appends: Transfer; whole: Transfer }[] = [];
    for (const kib of sizes) {
      const [appends, whole]: [Transfer[], Transfer[]] = [[], []];
      for (let run = 0; run < SOCKET_RUNS; run += 1) {
        appends.push(await transfer(kib * KIB, true));
        whole.push(await transfer(kib * KIB, false));
      }
      found.push({ kib, appends: medianOf(appends), whole: medianOf(whole) });
    }
    return found;
  });
  const largest = results.at(-1);
  const second = results.at(-2);
  if (largest === undefined || second === undefined) throw new Error('Nothing was measured.');
  const overhead = largest.appends.bytes / (largest.kib * KIB);
  const growth = largest.appends.ms / largest.kib / (second.appends.ms / second.kib);
  return [
    ...results.map(({ kib, appends, whole }) => ({
      measure: `${kib} KiB message through a socket: with appends, and as whole upserts`,
      value: `${mebibytes(appends.bytes)} in ${Math.round(appends.ms)} ms, ${mebibytes(whole.bytes)} in ${Math.round(whole.ms)} ms: ${Math.round(whole.bytes / appends.bytes)} × the bytes, ${(whole.ms / appends.ms).toFixed(1)} × the time`,
    })),
    {
      measure: 'bytes through the socket for 1 MiB of text, with appends',
      value: `${overhead.toFixed(2)} ×`,
      target: '≤ 1.2 ×',
      met: overhead <= 1.2,
    },
    {
      measure: 'time per KiB through the socket with appends, 1 MiB against 256 KiB',
      value: `${growth.toFixed(2)} ×`,
      target: '≤ 1.5 ×',
      met: growth <= 1.5,
    },
  ];
}

const medianOf = (transfers: readonly Transfer[]): Transfer => ({
  bytes: median(transfers.map(({ bytes }) => bytes)),
  ms: median(transfers.map(({ ms }) => ms)),
});

const mebibytes = (bytes: number) => `${(bytes / MIB).toFixed(2)} MiB`;

const micro = (ms: number) => `${(ms * 1000).toFixed(2)} µs`;
