import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { JournalRequest } from '../../../server/journal/journal-messages.ts';
import { createWorkerChannel } from '../../../server/journal/worker-channel.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

it('keep/journal a thread that dies is reported, and started again by the next request', async () => {
  const channel = createWorkerChannel(join(scratchDirectory(), 'journal.sqlite'));
  onTestFinished(channel.close);
  const size: JournalRequest = { batches: [], queries: [{ kind: 'size' }] };
  expect(await channel.send(size)).toMatchObject({ results: [{ ok: true, value: { items: 0 } }] });
  // Not a request: the thread fails at it.
  await expect(channel.send(JSON.parse('null'))).rejects.toThrow();
  expect(await channel.send(size)).toMatchObject({ results: [{ ok: true, value: { items: 0 } }] });
});
