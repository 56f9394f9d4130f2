import type { BenchReport } from '../report.ts';
import { describeCircumstances } from './circumstances.ts';
import { coldStart } from './cold-start.ts';
import { firstToken } from './first-token.ts';
import { longHistory } from './history.ts';
import { idleMemory } from './idle-memory.ts';
import { reconnect } from './reconnect.ts';
import { sessionMemory } from './session-memory.ts';

/** Measures the built product from outside its process. */
export async function run(): Promise<BenchReport> {
  const circumstances = describeCircumstances();
  return {
    title: 'The product',
    method: `The built server in its own process with scratch data, used over HTTP and a socket. Bare servers are measured in the same run. The real agents use the scripted model. ${circumstances}`,
    rows: [
      ...(await coldStart()),
      ...(await idleMemory()),
      ...(await longHistory()),
      ...(await reconnect()),
      ...(await firstToken()),
      ...(await sessionMemory()),
    ],
    notes: [
      'Memory is resident memory, summed over processes; shared pages count once per process. Codex runs one adapter for all sessions, Claude Code one process per session.',
    ],
  };
}
