import { writeSync } from 'node:fs';
import { createProcessHost, createProcessLedger } from '../../../server/processes/index.ts';

// Starts the given program repeatedly, prints each step, and runs until it is killed.

const [, , ledgerDirectory = '', times = '1', command = '', ...args] = process.argv;
const host = createProcessHost({ ledger: createProcessLedger(ledgerDirectory) });

writeSync(1, 'ready\n');
for (let count = 0; count < Number(times); count += 1) {
  writeSync(1, 'spawning\n');
  const { child } = host.spawn({ command, args, cwd: '/', env: process.env, label: 'doomed' });
  if (times === '1') child.stdout.once('data', () => writeSync(1, 'running\n'));
  await new Promise((resolve) => setImmediate(resolve));
}
setInterval(() => {}, 60_000);
