import { parentPort } from 'node:worker_threads';
import { createLookHost, type LookRequest } from './found/look-host.ts';
import { listingFormats } from './listing-formats.ts';

/** The thread that reads the agents' folders. Each request is answered before the next one comes. */
const answer = createLookHost(listingFormats);

parentPort?.on('message', (request: LookRequest) => {
  for (const response of answer(request)) parentPort?.postMessage(response);
});
