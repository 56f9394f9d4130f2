import { doWork } from './do-work.ts';
import type { WorkRequest } from './work-request.ts';

/** The worker of a session page. Posts one message when it is ready and one for each request, in order. */
const page = self as unknown as Pick<Worker, 'postMessage' | 'onmessage'>;

page.onmessage = async ({ data }: MessageEvent<WorkRequest>) => {
  page.postMessage(await doWork(data).catch(() => undefined));
};
page.postMessage('ready');
