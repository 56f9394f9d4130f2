import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';

/**
 * Puts a marker of the test into the environment of everything it starts. Finds survivors independently of the markers
 * and groups of the code under test, and kills what a failed test leaves.
 */
export function watchSurvivors() {
  const table = createProcessTable();
  const mark = randomUUID();
  const survivors = () => table.scan().flatMap(({ pid, environment }) => (environment.includes(mark) ? [pid] : []));
  onTestFinished(() => {
    for (const pid of survivors()) process.kill(pid, 'SIGKILL');
  });
  return { env: { ...process.env, LIMINAL_TEST: mark }, survivors };
}
