/** Runs something once after a delay; the answer cancels it. Injected so that tests can own the time. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

export const systemSchedule: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
