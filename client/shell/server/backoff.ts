/** Pauses before each attempt to reach the server again; the last one repeats for ever, because the server is local. */
const PAUSES_MS = [250, 500, 1000, 1500] as const;

export interface Backoff {
  next(): number;
  reset(): void;
}

export function createBackoff(pauses: readonly number[] = PAUSES_MS): Backoff {
  let attempt = 0;
  return {
    next() {
      const pause = pauses[Math.min(attempt, pauses.length - 1)] ?? 0;
      attempt += 1;
      return pause;
    },
    reset() {
      attempt = 0;
    },
  };
}
