import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createProcessProbe } from '../../../server/processes/process-start-time.ts';
import { acquireDataLock, waitForOwnerUrl } from '../../../server/store/data-lock.ts';

// Tries to lock the data directory for each line of input. Prints `owner`, or `found <url of the owner>`.

const [, , dataDir = '', name = ''] = process.argv;
const probe = createProcessProbe();

/** Tries again when the owner has just exited, as a start does. */
async function contend(): Promise<void> {
  const result = await acquireDataLock({ dataDir, probe });
  if (result.kind === 'acquired') {
    writeSync(1, 'owner\n');
    return result.lock.publish(`http://${name}/`);
  }
  const url = await waitForOwnerUrl({ dataDir, probe });
  if (url === undefined) return contend();
  writeSync(1, `found ${url}\n`);
}

writeSync(1, 'ready\n');
for await (const _ of createInterface({ input: process.stdin })) await contend();
