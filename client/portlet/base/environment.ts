import type { WorkerPort } from '../../shared/work-queue.ts';

/** Browser APIs that the page uses, injected so that tests can replace them. */
export interface Environment {
  readonly now: () => number;
  readonly newId: () => string;
  readonly requestFrame: (callback: () => void) => void;
  /** Calls back when the browser is idle. `timeRemaining` returns the milliseconds left. */
  readonly requestIdle: (callback: (timeRemaining: () => number) => void) => void;
  /** Calls back after `ms`, unless the returned function is called first. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly storage: Storage;
  readonly copy: (text: string) => Promise<void>;
  /** Starts the worker of the page. Undefined where there are none: then everything is done on the page. */
  readonly startWorker: (() => WorkerPort) | undefined;
}

export function browserEnvironment(startWorker: () => WorkerPort): Environment {
  return {
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    requestFrame: (callback) => requestAnimationFrame(callback),
    requestIdle: (callback) => {
      // Not every version of Safari has it.
      if (typeof requestIdleCallback === 'undefined') setTimeout(() => callback(() => 8), 50);
      else requestIdleCallback((deadline) => callback(() => deadline.timeRemaining()));
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    storage: localStorage,
    copy: (text) => navigator.clipboard.writeText(text),
    startWorker: typeof Worker === 'undefined' ? undefined : startWorker,
  };
}
