import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';

/**
 * A mark of the test's own in the environment of everything it starts: finds survivors independently of the marks and
 * groups that the code under test relies on, and ends what a failed test would leave.
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
