import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createProcessProbe } from '../../../server/processes/process-start-time.ts';
import { acquireDataLock, waitForOwnerUrl } from '../../../server/store/data-lock.ts';

// Tries for the data directory whenever a line comes in. Answers `owner`, or `found <url of the owner>`.

const [, , dataDir = '', name = ''] = process.argv;
const probe = createProcessProbe();

writeSync(1, 'ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  const result = await acquireDataLock({ dataDir, probe });
  if (result.kind === 'acquired') {
    writeSync(1, 'owner\n');
    await result.lock.publish(`http://${name}/`);
  } else {
    writeSync(1, `found ${await waitForOwnerUrl({ dataDir, probe })}\n`);
  }
}
