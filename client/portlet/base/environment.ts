/** What the page takes from the browser, so that a test can give it something else. */
export interface Environment {
  readonly now: () => number;
  readonly newId: () => string;
  readonly requestFrame: (callback: () => void) => void;
  /** Calls back when the browser has time to spare, with how many milliseconds are left of it. */
  readonly requestIdle: (callback: (timeRemaining: () => number) => void) => void;
  /** Calls back after `ms`; the function returned prevents it. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly storage: Storage;
  readonly copy: (text: string) => Promise<void>;
}

export function browserEnvironment(): Environment {
  return {
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    requestFrame: (callback) => requestAnimationFrame(callback),
    requestIdle: (callback) => {
      // Not every browser has it; a pause does no harm there.
      if (typeof requestIdleCallback === 'undefined') setTimeout(() => callback(() => 8), 50);
      else requestIdleCallback((deadline) => callback(() => deadline.timeRemaining()));
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    storage: localStorage,
    copy: (text) => navigator.clipboard.writeText(text),
  };
}
