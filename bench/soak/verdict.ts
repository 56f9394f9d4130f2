import { toMib } from '../product/process-facts.ts';
import type { BenchReport, BenchRow } from '../report.ts';
import type { FaultReport } from './faults.ts';
import type { Histogram } from './histogram.ts';
import { slopePerMinute } from './samples.ts';
import type { SoakResult } from './soak.ts';

const MAX_P99_MS = 50;
const SETTLING_SECONDS = 60;
const MAX_MIB_PER_MINUTE = 2;
const MAX_EXTRA_HANDLES = 3;
const MAX_FLAWS_TOLD = 20;

export function toReport(result: SoakResult): BenchReport {
  const { options, truth, faults } = result;
  const { minutes, sessions, windows, tokensPerSecond, tokensPerMessage, withFaults } = options;
  return {
    title: withFaults ? 'Soak with faults' : 'Soak',
    method: `${sessions} sessions, each with the process of an agent that prints ${tokensPerSecond} tokens a second, in turns of two messages of ${tokensPerMessage} tokens and a tool call, shown in ${windows} windows for ${minutes} minutes${withFaults ? ', a fault every ten seconds' : ''}. The server, the agents and the windows share one machine. ${result.circumstances}`,
    rows: [...completeness(result), ...latency(result), ...(withFaults ? faultRows(result) : growth(result))],
    notes: [
      'The latency of a message is the time from printing its newest token to the frame at the window. A token also waits up to 50 ms for its batch; the next row includes that. The row after it is the latency of the machine itself.',
      ...(withFaults ? [faultList(faults)] : []),
      ...[...truth.flaws, ...result.flaws].slice(0, MAX_FLAWS_TOLD),
    ],
  };
}

function completeness({ truth, flaws, turns }: SoakResult): BenchRow[] {
  return [
    row(
      'messages whose text is not what was printed',
      `${truth.flaws.length} of ${truth.items}`,
      'none',
      truth.flaws.length === 0,
    ),
    { measure: 'tokens shown', value: truth.tokens.toLocaleString('en') },
    row(
      'lost, duplicated or different: windows, fresh snapshot, after kill -9 and restart',
      `${flaws.length}`,
      'none',
      flaws.length === 0,
    ),
    { measure: 'turns confirmed, of these failed', value: `${turns.confirmed}, ${turns.failed}` },
  ];
}

function latency({ latency: { newest, every }, control, options, processorShare }: SoakResult): BenchRow[] {
  const p99 = newest.quantile(0.99);
  const figures = ({ quantile, max }: Histogram) =>
    `${[0.5, 0.99].map((q) => quantile(q).toFixed(1)).join(' / ')} / ${max.toFixed(0)} ms`;
  const measure = 'from print to window, P50 / P99 / worst';
  return [
    options.withFaults
      ? { measure, value: figures(newest) }
      : row(measure, figures(newest), `P99 < ${MAX_P99_MS} ms`, p99 < MAX_P99_MS),
    { measure: 'every token, including the wait for its batch, P50 / P99 / worst', value: figures(every) },
    { measure: 'one agent read directly, without the server, P50 / P99 / worst', value: figures(control) },
    { measure: 'CPU time of the server', value: `${Math.round(processorShare * 100)} % of one core` },
    { measure: 'messages measured', value: newest.count.toLocaleString('en') },
  ];
}

/** Conversations are kept in memory on purpose; their growth is not a leak. */
function growth({ samples, truth, options }: SoakResult): BenchRow[] {
  const settled = samples.filter(({ seconds }) => seconds > SETTLING_SECONDS);
  const [first, last] = [settled[0], settled.at(-1)];
  const slope = slopePerMinute(settled, ({ mib }) => mib);
  const kept = toMib(truth.characters) / options.minutes;
  const handles = (last?.handles ?? 0) - (first?.handles ?? 0);
  return [
    row(
      'memory after the first minute, growth',
      `${slope.toFixed(1)} MiB a minute (${first?.mib.toFixed(0)} → ${last?.mib.toFixed(0)} MiB)`,
      `≤ ${MAX_MIB_PER_MINUTE} MiB a minute beyond the text itself (${kept.toFixed(1)})`,
      slope <= MAX_MIB_PER_MINUTE + kept,
    ),
    row(
      'handles after the first minute, growth',
      `${handles} (${first?.handles} → ${last?.handles})`,
      `≤ ${MAX_EXTRA_HANDLES}`,
      handles <= MAX_EXTRA_HANDLES,
    ),
  ];
}

function faultRows({ faults, returns }: SoakResult): BenchRow[] {
  const unseen = faults.filter(({ seen }) => seen === undefined);
  return [
    row('faults that the user could not see', `${unseen.length} of ${faults.length}`, 'none', unseen.length === 0),
    { measure: 'windows lost and back', value: String(returns) },
  ];
}

/** What the user saw by kind of fault: the first of each, and all that were not seen. */
function faultList(faults: readonly FaultReport[]): string {
  const kinds = [...new Set(faults.map(({ fault }) => fault))];
  const lines = kinds.map((kind) => {
    const of = faults.filter(({ fault }) => fault === kind);
    const unseen = of.filter(({ seen }) => seen === undefined).length;
    const example = of.find(({ seen }) => seen !== undefined)?.seen ?? 'nothing';
    return `- ${kind}, ${of.length} times, ${unseen === 0 ? 'always seen' : `${unseen} times not seen`}: “${example}”`;
  });
  return `What the user sees of a fault:\n\n${lines.join('\n')}`;
}

function row(measure: string, value: string, target: string, met: boolean): BenchRow {
  return { measure, value, target, met };
}
