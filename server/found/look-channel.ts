import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import { createDeferred, type Deferred } from '../deferred.ts';
import type { ListingFormat } from '../engine/native-listing.ts';
import { packageRoot } from '../package-root.ts';
import { createLookHost, type LookRequest, type LookResponse } from './look-host.ts';

/** Where the agents' folders are read: in a worker or here. */
export interface LookChannel {
  /** One after the other. `take` is called with each response but the last one, which has nothing. Rejects if the worker has died. */
  send(request: LookRequest, take: (response: LookResponse) => void): Promise<void>;
  close(): Promise<void>;
}

/** For tests. */
export function createLocalLooks(formats: readonly ListingFormat[]): LookChannel {
  const answer = createLookHost(formats);
  let last = Promise.resolve();
  let isClosed = false;

  async function run(request: LookRequest, take: (response: LookResponse) => void): Promise<void> {
    for (const response of answer(request)) {
      if (isClosed || response.isLast) return;
      take(structuredClone(response));
      await setImmediate();
    }
  }

  return {
    send(request, take) {
      last = last.then(() => run(request, take));
      return last;
    },
    async close() {
      isClosed = true;
      await last;
    },
  };
}

/** How long the worker waits for more work before it ends, which gives its memory back. */
const KEEP_MS = 1_000;
/** So many files are looked at here: that takes less than starting a thread. */
const FEW = 20;

interface Running {
  readonly take: (response: LookResponse) => void;
  readonly done: Deferred<void>;
}

/** In a thread of its own, which runs only while there is much to look at. */
export function createLookWorker(formats: readonly ListingFormat[], clock: Clock): LookChannel {
  const here = createLocalLooks(formats);
  let worker: Worker | undefined;
  let running: Running | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let timer: unknown;
  let isClosed = false;

  function start(): Worker {
    const started = startWorker();
    started.unref();
    const fail = (error: Error) => {
      if (worker !== started) return;
      worker = undefined;
      running?.done.reject(error);
    };
    started.on('message', (response: LookResponse) => {
      if (response.isLast) running?.done.resolve();
      else running?.take(response);
    });
    started.on('error', fail);
    started.on('exit', (code) => fail(new Error(`The thread that reads the agents' folders ended with code ${code}.`)));
    return started;
  }

  async function run(request: LookRequest, take: (response: LookResponse) => void): Promise<void> {
    if (isClosed) return;
    if (isSmall(request)) return here.send(request, take);
    clock.clearTimeout(timer);
    worker ??= start();
    running = { take, done: createDeferred() };
    worker.postMessage(request);
    try {
      await running.done.promise;
    } finally {
      running = undefined;
      if (!isClosed) timer = clock.setTimeout(end, KEEP_MS);
    }
  }

  function end(): Promise<unknown> {
    const ending = worker;
    worker = undefined;
    return ending?.terminate() ?? Promise.resolve();
  }

  return {
    send(request, take) {
      const done = last.then(() => run(request, take));
      last = done.catch(() => undefined);
      return done;
    },
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      running?.done.resolve();
      await Promise.all([here.close(), end()]);
    },
  };
}

function isSmall(request: LookRequest): boolean {
  if (request.kind === 'folders') return false;
  return request.tasks.reduce((count, { only }) => count + (only?.length ?? FEW), 0) < FEW;
}

function startWorker(): Worker {
  const script = import.meta.url.endsWith('.ts')
    ? new URL('../found-worker-from-source.mjs', import.meta.url)
    : join(packageRoot(), 'dist', 'server', 'found-worker.js');
  // Nearly everything it makes is thrown away at once: a small young generation keeps its memory small.
  return new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: 8 } });
}
