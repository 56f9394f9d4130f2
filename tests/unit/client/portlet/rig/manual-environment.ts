import type { Environment } from '../../../../../client/portlet/base/environment.ts';

export interface ManualEnvironment extends Environment {
  /** Runs all requested frames. */
  frame(): void;
  /** Runs idle callbacks with `ms` of idle time each until there are none left. */
  idle(ms?: number): void;
  /** Advances the time and runs the timers that are due. */
  pass(ms: number): void;
  readonly copied: string[];
}

/** The nth id that the page makes. */
export const idOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

/** A browser environment in which the test controls time and frames. */
export function createManualEnvironment(start = Date.parse('2030-01-01T10:00:00.000Z')): ManualEnvironment {
  let now = start;
  let lastId = 0;
  let frames: (() => void)[] = [];
  let idles: ((timeRemaining: () => number) => void)[] = [];
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  const copied: string[] = [];

  return {
    copied,
    now: () => now,
    newId() {
      lastId += 1;
      return idOf(lastId);
    },
    storage: localStorage,
    startWorker: undefined,
    copy: async (text) => void copied.push(text),
    requestFrame: (callback) => void frames.push(callback),
    requestIdle: (callback) => void idles.push(callback),
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    frame() {
      const waiting = frames;
      frames = [];
      for (const callback of waiting) callback();
    },
    idle(ms = 20) {
      for (let round = 0; idles.length > 0 && round < 1_000; round += 1) {
        const waiting = idles;
        idles = [];
        let left = ms;
        for (const callback of waiting) callback(() => (left -= 1));
      }
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.callback();
      }
      now = end;
    },
  };
}
