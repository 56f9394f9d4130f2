/** The source of time, injected so that tests can control it. */
export interface Clock {
  /** ISO 8601, UTC. */
  now(): string;
  /** Milliseconds; never goes backwards. */
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
