/** The part of `Worker` that is used here. */
export interface WorkerPort {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface WorkQueueOptions {
  /** Starts a worker. It posts one message when it is ready, and then one for each message it gets. */
  readonly start: () => WorkerPort;
  readonly after: (ms: number, callback: () => void) => () => void;
}

export interface WorkQueue {
  /** Resolves to the worker's reply, or to undefined if that takes longer than `budgetMs` or the worker fails. */
  run(request: unknown, budgetMs: number): Promise<unknown>;
}

interface Job {
  readonly request: unknown;
  readonly budgetMs: number;
  readonly resolve: (reply: unknown) => void;
}

/** Loading the worker is not part of a job's budget, but must not keep the jobs waiting for ever. */
const START_BUDGET_MS = 20_000;

/** One worker that does one job after the other. A job that exceeds its budget ends with its worker. */
export function createWorkQueue({ start, after }: WorkQueueOptions): WorkQueue {
  const jobs: Job[] = [];
  let worker: WorkerPort | undefined;
  let isReady = false;
  let current: Job | undefined;
  let stopTimer: (() => void) | undefined;

  function startWorker(): void {
    isReady = false;
    worker = start();
    worker.onmessage = ({ data }) => {
      if (isReady) finish(data);
      else {
        isReady = true;
        next();
      }
    };
    worker.onerror = () => replaceWorker();
    stopTimer = after(START_BUDGET_MS, replaceWorker);
  }

  /** Ends the worker and with it the current job, or the first one if the worker did not even start. */
  function replaceWorker(): void {
    worker?.terminate();
    worker = undefined;
    current ??= jobs.shift();
    finish(undefined);
  }

  function finish(reply: unknown): void {
    stopTimer?.();
    stopTimer = undefined;
    const done = current;
    current = undefined;
    done?.resolve(reply);
    next();
  }

  function next(): void {
    if (current !== undefined || jobs.length === 0) return;
    if (worker === undefined) startWorker();
    if (!isReady) return;
    current = jobs.shift();
    if (current === undefined) return;
    stopTimer?.();
    stopTimer = after(current.budgetMs, replaceWorker);
    worker?.postMessage(current.request);
  }

  return {
    run: (request, budgetMs) =>
      new Promise((resolve) => {
        jobs.push({ request, budgetMs, resolve });
        next();
      }),
  };
}
