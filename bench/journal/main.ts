import { describeCircumstances } from '../product/circumstances.ts';
import type { BenchReport, BenchRow } from '../report.ts';
import { keeping } from './keeping.ts';
import { opening } from './opening.ts';
import { manyItems } from './size.ts';
import { starting } from './starting.ts';

const parts: Readonly<Record<string, () => Promise<BenchRow[]>>> = { keeping, opening, size: manyItems, starting };

/** Measures what it costs to keep what was shown, and what reading it takes. */
export async function run(): Promise<BenchReport> {
  const circumstances = describeCircumstances();
  const rows: BenchRow[] = [];
  for (const name of process.env.LIMINAL_JOURNAL?.split(',') ?? Object.keys(parts))
    rows.push(...((await parts[name]?.()) ?? []));
  return {
    title: 'Journal',
    method: `Streams: the server with a scripted agent and a window in one process, with the journal and without in turn. Opening and starting: the built server in its own process. ${circumstances}`,
    rows,
  };
}
