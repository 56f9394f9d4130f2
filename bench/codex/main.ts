import { type BenchReport, type BenchRow, median, quantile } from '../report.ts';
import { measureBare, startBareAdapter } from './bare-adapter.ts';
import { measureOurs } from './our-provider.ts';
import { openScene, type Scene } from './scene.ts';
import { CONVERSATIONS, STARTS, type StepName, type Steps } from './steps.ts';

const ROUNDS = 20;
const LONG_TURNS = 200;

const WORDS: Readonly<Record<StepName, string>> = {
  start: 'spawn to the end of the handshake',
  newSession: 'new session',
  firstChunk: 'prompt to first words, first turn',
  secondTurn: 'prompt to first words, second turn',
  load: `load of ${LONG_TURNS} turns`,
};

/** Measures the real Codex with and without our provider, interleaved so that disturbances affect both. */
export async function run(): Promise<BenchReport> {
  const scene = await openScene();
  try {
    const longSession = await holdLongConversation(scene);
    const bare: Steps[] = [];
    const ours: Steps[] = [];
    const routes = [
      async () => bare.push(await measureBare(scene, longSession)),
      async () => ours.push(await measureOurs(scene, longSession, LONG_TURNS)),
    ];
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const route of round % 2 === 0 ? routes : routes.toReversed()) await route();
      // The first round only warms the disk cache.
      if (round === -1) bare.length = ours.length = 0;
    }
    return report(bare, ours);
  } finally {
    await scene.close();
  }
}

async function holdLongConversation(scene: Scene): Promise<string> {
  const adapter = startBareAdapter(scene);
  try {
    await adapter.initialize();
    const sessionId = await adapter.newSession();
    for (let turn = 1; turn <= LONG_TURNS; turn += 1) await adapter.prompt(sessionId, `Message ${turn}`).answered;
    return sessionId;
  } finally {
    await adapter.stop();
  }
}

function report(bare: readonly Steps[], ours: readonly Steps[]): BenchReport {
  return {
    title: 'Codex',
    method:
      `The real Codex against the scripted model, which answers at once: this provider against its bare adapter, ` +
      `${ROUNDS} interleaved rounds, each with ${STARTS} process starts and ${CONVERSATIONS} new sessions in the last process, of ` +
      'which the medians count. Median of the rounds, with the 95th percentile in parentheses.',
    rows: (Object.keys(WORDS) as StepName[]).map((step) => row(step, bare, ours)),
    notes: [
      'The bare adapter only writes lines of JSON and parses those it reads. With the provider, the first ' +
        'words are the first upsert that a listener gets, and a load ends when its history is available as items.',
    ],
  };
}

function row(step: StepName, bare: readonly Steps[], ours: readonly Steps[]): BenchRow {
  const without = bare.map((steps) => steps[step].ms);
  const through = ours.map((steps) => steps[step].ms);
  const difference = median(through) - median(without);
  const cpu = median(ours.map((steps) => steps[step].cpuMs)) - median(bare.map((steps) => steps[step].cpuMs));
  return {
    measure: WORDS[step],
    value: `bare ${show(without)}, ours ${show(through)}: ${signed(difference)} ms; our CPU time ${signed(cpu)} ms`,
    target: '≤ +5 % or +5 ms',
    met: difference <= Math.max(5, 0.05 * median(without)),
  };
}

function show(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${quantile(values, 0.95).toFixed(0)}) ms`;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}
