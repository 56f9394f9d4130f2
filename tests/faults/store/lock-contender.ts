import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createProcessProbe } from '../../../server/processes/process-start-time.ts';
import { acquireDataLock, waitForOwnerUrl } from '../../../server/store/data-lock.ts';

// Tries for the data directory whenever a line comes in. Answers `owner`, or `found <url of the owner>`.

const [, , dataDir = '', name = ''] = process.argv;
const probe = createProcessProbe();

/** As a start does it: who finds that the owner has just gone tries again. */
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
