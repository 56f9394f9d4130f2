import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { createJournalHost } from './journal-host.ts';
import type { JournalRequest } from './journal-messages.ts';
import { migrations } from './schema.ts';

/** The thread of the journal. Each request is answered before the next one comes; `close` ends the thread. */
const host = createJournalHost({ path: String(workerData), steps: migrations, now: systemClock.now });

parentPort?.on('message', async (message: JournalRequest | 'close') => {
  if (message === 'close') {
    try {
      host.close();
    } finally {
      parentPort?.close();
    }
    return;
  }
  parentPort?.postMessage(await host.handle(message));
  host.tidy();
});
