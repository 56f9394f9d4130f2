import type { CliProvider } from '../../server/engine/provider-types.ts';
import { describeCircumstances } from '../product/circumstances.ts';
import type { BenchReport, BenchRow } from '../report.ts';
import { type AcpAdapter, installAdapter, measureAcp, measureAcpHistory } from './acp-route.ts';
import { measureBareCold, openBare } from './bare-sdk.ts';
import { writeLongTranscript } from './long-transcript.ts';
import { measureOurHistory, measureOursAtOnce, measureOursWithSpare, openOurs, openProvider } from './our-provider.ts';
import { createSamples, type Samples } from './samples.ts';
import { openScene, type Scene } from './scene.ts';

const ROUNDS = 12;
const LATER_TURNS = 5;
const SIZES = [200, 2000] as const;

/** Measures the real Claude Code over three routes, interleaved so that disturbances affect all of them. */
export async function run(): Promise<BenchReport> {
  const circumstances = describeCircumstances();
  const scene = await openScene();
  const adapter = await installAdapter();
  const samples = createSamples();
  try {
    await measureRounds(scene, adapter, createSamples(), 1);
    await measureRounds(scene, adapter, samples, ROUNDS);
    return report(samples, adapter !== undefined, circumstances);
  } finally {
    await adapter?.remove();
    await scene.close();
  }
}

async function measureRounds(scene: Scene, adapter: AcpAdapter | undefined, samples: Samples, rounds: number) {
  const provider = openProvider(scene);
  const withSpare = openProvider(scene, true);
  await provider.prepare();
  // Only causes the first spare.
  await measureOursWithSpare(scene, withSpare, createSamples());
  for (let round = 0; round < rounds; round += 1) {
    const routes = [
      () => measureBareCold(scene, samples),
      () => measureSideBySide(scene, provider, samples, round),
      () => measureOursAtOnce(scene, provider, samples),
      () => measureOursWithSpare(scene, withSpare, samples),
      ...(adapter === undefined ? [] : [() => measureAcp(scene, adapter, samples)]),
    ];
    for (let index = 0; index < routes.length; index += 1) await routes[(index + round) % routes.length]?.();
    for (const size of SIZES) await measureHistories(scene, adapter, samples, size);
  }
  await Promise.all([provider.close(), withSpare.close()]);
}

/** Alternates between two open sessions; each goes first in every other round. */
async function measureSideBySide(scene: Scene, provider: CliProvider, samples: Samples, round: number) {
  const pair = [
    { name: 'bare', session: await openBare(scene) },
    { name: 'ours', session: await openOurs(scene, provider, samples) },
  ];
  if (round % 2 === 1) pair.reverse();
  for (let turn = 0; turn <= LATER_TURNS; turn += 1) {
    for (const { name, session } of pair) {
      const { firstToken, delivery } = await session.turn();
      samples.add(`${name} ${turn === 0 ? 'warm' : 'second'}`, firstToken);
      samples.add(`${name} delta`, delivery);
    }
  }
  for (const { session } of pair) await session.close();
}

async function measureHistories(scene: Scene, adapter: AcpAdapter | undefined, samples: Samples, size: number) {
  const provider = openProvider(scene);
  const ours = await writeLongTranscript(scene, size);
  const items = await measureOurHistory(scene, provider, ours, (ms) => samples.add(`ours ${size}`, ms));
  if (items !== size) throw new Error(`Expected ${size} items from the transcript, got ${items}.`);
  await provider.close();
  if (adapter === undefined) return;
  const theirs = await writeLongTranscript(scene, size);
  const updates = await measureAcpHistory(scene, adapter, theirs, (ms) => samples.add(`acp ${size}`, ms));
  if (updates < size) throw new Error(`Expected at least ${size} updates from the adapter, got ${updates}.`);
}

function report(samples: Samples, hasAcp: boolean, circumstances: string): BenchReport {
  const { text, median } = samples;
  const warmRatio = median('ours warm') / median('bare warm');
  const spareRatio = median('ours at once, spare') / median('ours warm');
  const secondGap = median('ours second') - median('bare second');
  const ratio = (size: number) => median(`acp ${size}`) / median(`ours ${size}`);
  const rows: BenchRow[] = [
    { measure: 'new session to first token, bare SDK, cold', value: text('bare cold') },
    { measure: 'new session to first token, bare SDK, warmed', value: text('bare warm') },
    { measure: 'new session to first token, this provider, warmed', value: text('ours warm') },
    {
      measure: 'this provider against the bare SDK, both warmed',
      value: `${warmRatio.toFixed(2)} ×`,
      target: '≤ 1.1 ×',
      met: warmRatio <= 1.1,
    },
    { measure: 'creating a session, until it can be used', value: text('create') },
    { measure: 'creating a session and sending at once, to first token, no spare', value: text('ours at once') },
    { measure: 'creating a session and sending at once, to first token, spare', value: text('ours at once, spare') },
    {
      measure: 'creating and sending at once against a warmed session, no spare',
      value: `${(median('ours at once') / median('ours warm')).toFixed(2)} ×`,
    },
    {
      measure: 'creating and sending at once against a warmed session, spare',
      value: `${spareRatio.toFixed(2)} ×`,
      target: '≤ 1.3 ×',
      met: spareRatio <= 1.3,
    },
    { measure: 'later turn to first token, bare SDK', value: text('bare second') },
    { measure: 'later turn to first token, this provider', value: text('ours second') },
    {
      measure: 'this provider against the bare SDK, later turn',
      value: `${secondGap >= 0 ? '+' : ''}${secondGap.toFixed(1)} ms`,
      target: '≤ 5 ms',
      met: secondGap <= 5,
    },
    { measure: "model's first event to the first delta, bare SDK", value: text('bare delta') },
    {
      measure: "model's first event to our first push",
      value: text('ours delta'),
      target: '≤ 8 ms',
      met: median('ours delta') <= 8,
    },
    ...SIZES.map((size) => ({ measure: `history of ${size} messages from disk`, value: text(`ours ${size}`) })),
  ];
  if (!hasAcp) return describe(rows, ['The ACP route is missing: its adapter could not be installed.', circumstances]);
  return describe([...rows, ...acpRows(samples, ratio)], [circumstances]);
}

function acpRows({ text }: Samples, ratio: (size: number) => number): BenchRow[] {
  return [
    { measure: 'new session to first token, ACP adapter running', value: text('acp live') },
    { measure: 'new session to first token, ACP adapter from spawn', value: text('acp spawn') },
    { measure: 'second turn to first token, ACP', value: text('acp second') },
    ...SIZES.map((size) => ({
      measure: `history of ${size} messages by ACP \`session/load\``,
      value: text(`acp ${size}`),
    })),
    ...SIZES.map((size) => {
      const wanted = size === 200 ? 30 : 8;
      return {
        measure: `history of ${size} messages, from disk against ACP`,
        value: `${ratio(size).toFixed(0)} × faster`,
        target: `≥ ${wanted} ×`,
        met: ratio(size) >= wanted,
      };
    }),
  ];
}

function describe(rows: readonly BenchRow[], notes: readonly string[]): BenchReport {
  return {
    title: 'Claude Code',
    method:
      `The real Claude Code against the scripted model, which answers at once. ${ROUNDS} rounds after a warm-up round that does not ` +
      `count, with the routes interleaved; the bare SDK and this provider also alternate turn by turn, with ${LATER_TURNS} later ` +
      'turns per round. Median, with the 95th percentile in parentheses. All routes run the same binary. The ACP route is ' +
      '`@zed-industries/claude-code-acp` 0.16.2.',
    rows,
    notes: ['"Warmed" means that the process was started when the session was created and is ready.', ...notes],
  };
}
