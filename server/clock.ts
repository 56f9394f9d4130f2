/** Time as the code sees it, so that tests can own it. */
export interface Clock {
  /** ISO 8601, UTC. */
  now(): string;
  /** Milliseconds that only ever grow. */
  monotonic(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};
