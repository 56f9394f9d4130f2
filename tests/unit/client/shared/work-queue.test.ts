import { describe, expect, it } from 'vitest';
import { createWorkQueue, type WorkerPort } from '../../../../client/shared/work-queue.ts';

interface FakeWorker extends WorkerPort {
  readonly requests: unknown[];
  isTerminated: boolean;
  say(data: unknown): void;
}

function startQueue() {
  const workers: FakeWorker[] = [];
  const timers = new Set<{ readonly ms: number; readonly callback: () => void }>();
  const queue = createWorkQueue({
    start() {
      const worker: FakeWorker = {
        requests: [],
        isTerminated: false,
        onmessage: null,
        onerror: null,
        postMessage: (message) => worker.requests.push(message),
        terminate() {
          worker.isTerminated = true;
        },
        say: (data) => worker.onmessage?.(new MessageEvent('message', { data })),
      };
      workers.push(worker);
      return worker;
    },
    after(ms, callback) {
      const timer = { ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const worker = (index: number): FakeWorker => {
    const found = workers[index];
    if (found === undefined) throw new Error(`There is no worker ${index}.`);
    return found;
  };
  return {
    queue,
    workers,
    worker,
    timers: () => [...timers].map(({ ms }) => ms),
    pass() {
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

describe('work beside the page', () => {
  it('starts a worker when there is something to do, and is done in order', async () => {
    const { queue, workers, worker } = startQueue();
    expect(workers).toHaveLength(0);
    const first = queue.run('a', 100);
    const second = queue.run('b', 100);
    expect(worker(0).requests).toEqual([]);
    worker(0).say('ready');
    expect(worker(0).requests).toEqual(['a']);
    worker(0).say(1);
    expect(worker(0).requests).toEqual(['a', 'b']);
    worker(0).say(2);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(workers).toHaveLength(1);
  });

  it('safe/frozen-text ends with its worker when it exceeds its budget, and the next job gets a new one', async () => {
    const { queue, worker, pass, timers } = startQueue();
    const slow = queue.run('slow', 100);
    const next = queue.run('next', 200);
    worker(0).say('ready');
    expect(timers()).toEqual([100]);
    pass();
    expect(await slow).toBeUndefined();
    expect(worker(0).isTerminated).toBe(true);
    worker(1).say('ready');
    expect(worker(1).requests).toEqual(['next']);
    expect(timers()).toEqual([200]);
    worker(1).say('done');
    expect(await next).toBe('done');
    expect(timers()).toEqual([]);
  });

  it('fails one job after the other if the worker cannot be loaded', async () => {
    const { queue, worker, pass } = startQueue();
    const first = queue.run('a', 100);
    const second = queue.run('b', 100);
    worker(0).onerror?.(new ErrorEvent('error'));
    expect(await first).toBeUndefined();
    pass();
    expect(await second).toBeUndefined();
  });
});
