import type { Batching } from '../../server/streaming/stream-core.ts';
import { LIVE_BATCHING, PROCESSOR_BATCHING } from '../../server/streaming/stream-core.ts';
import { type BenchReport, type BenchRow, median } from '../report.ts';
import { countEmissions, serialise, streamText } from './measure.ts';

const MIB = 1024 * 1024;
const RUNS = 5;

/** Measures the core: time per delta at the start and the end of a very long reply, and emissions. */
export async function run(): Promise<BenchReport> {
  streamText({ bytes: MIB, batching: LIVE_BATCHING });
  return {
    title: 'Streaming core',
    method: `10 MiB of words in deltas of 4 characters through the core, as one message, nobody listening; processor time, median of ${RUNS} runs. Emissions are counted on a clock of their own.`,
    rows: [
      ...timing('live batching', LIVE_BATCHING),
      ...timing('processor batching', PROCESSOR_BATCHING),
      ...emissions(),
      ...serialising(),
    ],
    notes: [
      'The core is linear: a delta is appended and its own characters are looked at, nothing else. What is not linear is the form of the output. An upsert carries the whole text so far, so with a last step of 120 tokens a message of *n* bytes is serialised about *n* / 700 times, *n*² / 1400 bytes in total. For answers of the usual size that is nothing; the last rows show where it begins to count.',
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

function serialising(): BenchRow[] {
  return [16, 64, 256, 1024].map((kib) => {
    const { emissions: count, serialisedBytes, totalMs } = serialise({ bytes: kib * 1024, batching: LIVE_BATCHING });
    const each = (totalMs / count).toFixed(2);
    return {
      measure: `${kib} KiB message, every upsert as JSON, live batching`,
      value: `${Math.round(totalMs)} ms for ${count} upserts (${each} ms each, ${Math.round(serialisedBytes / MIB)} MiB)`,
    };
  });
}

const micro = (ms: number) => `${(ms * 1000).toFixed(2)} µs`;
