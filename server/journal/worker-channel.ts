import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createDeferred, type Deferred } from '../deferred.ts';
import { packageRoot } from '../package-root.ts';
import type { JournalChannel, JournalResponse } from './journal-messages.ts';

/** The journal in a thread of its own, which is started with the first request and again after it has died. */
export function createWorkerChannel(path: string): JournalChannel {
  let worker: Worker | undefined;
  let answer: Deferred<JournalResponse> | undefined;

  function start(): Worker {
    const started = startWorker(path);
    // An error is followed by the exit, when another thread may be at work already.
    const fail = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      answer?.reject(error);
    };
    started.on('message', (response: JournalResponse) => answer?.resolve(response));
    started.on('error', fail);
    started.on('exit', (code) => fail(new Error(`The journal's thread has ended with code ${code}.`)));
    return started;
  }

  return {
    async send(request) {
      worker ??= start();
      answer = createDeferred();
      worker.postMessage(request);
      try {
        return await answer.promise;
      } finally {
        answer = undefined;
      }
    },
    async close() {
      const ending = worker;
      if (ending === undefined) return;
      const ended = createDeferred();
      ending.once('exit', () => ended.resolve());
      ending.postMessage('close');
      await ended.promise;
    },
  };
}

function startWorker(path: string): Worker {
  const script = import.meta.url.endsWith('.ts')
    ? new URL('./journal-worker-from-source.mjs', import.meta.url)
    : join(packageRoot(), 'dist', 'server', 'journal-worker.js');
  return new Worker(script, { workerData: path });
}
