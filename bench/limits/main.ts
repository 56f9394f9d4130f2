import { describeCircumstances } from '../product/circumstances.ts';
import type { BenchReport, BenchRow } from '../report.ts';
import { longAnswers } from './answers.ts';
import { manyCalls } from './calls.ts';
import { manyProjects } from './projects.ts';
import { unreadSubscriptions } from './unread.ts';

const parts: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  answers: longAnswers,
  calls: manyCalls,
  projects: manyProjects,
  unread: unreadSubscriptions,
};

/** Measures what grows: long answers, many tool calls, many projects, subscriptions that nobody reads. */
export async function run(): Promise<BenchReport> {
  const circumstances = describeCircumstances();
  const rows: BenchRow[] = [];
  for (const name of process.env.LIMINAL_LIMITS?.split(',') ?? Object.keys(parts))
    rows.push(...((await parts[name]?.()) ?? []));
  return {
    title: 'Limits',
    method: `The built server in its own process with agents that print as fast as they can, and the page in Chromium. Each size starts with a fresh server. A second process asks for \`/api/health\` every 5 ms; the longest time until an answer is the silence of the server. ${circumstances}`,
    rows,
    notes: [
      'A window without appends gets a long text whole, but no more than 4 MiB of it a second. The silence is measured in processor time of the server, because other work on the machine would count as well; where there is none, both are the same.',
    ],
  };
}
