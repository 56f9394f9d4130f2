import type { Clock } from '../clock.ts';

export interface SleepPolicyOptions<Id> {
  readonly clock: Clock;
  /** Idle time before sleep. */
  readonly sleepAfterMs: number;
  /** If more than this are awake, the least recently used idle one sleeps. */
  readonly maxAwake: number;
  /** Whether it can be put to sleep now. */
  readonly isIdle: (id: Id) => boolean;
  readonly putToSleep: (id: Id) => void;
}

export interface SleepPolicy<Id> {
  /** Records that it is awake and in use. */
  touch(id: Id): void;
  /** Records that it is no longer awake. */
  forget(id: Id): void;
  stop(): void;
}

/** Puts idle sessions to sleep. */
export function createSleepPolicy<Id>(options: SleepPolicyOptions<Id>): SleepPolicy<Id> {
  const { clock, sleepAfterMs, maxAwake, isIdle, putToSleep } = options;
  /** Time of last use, least recently used first. */
  const awake = new Map<Id, number>();
  let timer: unknown;

  function arm(): void {
    clock.clearTimeout(timer);
    const [oldest] = awake.values();
    if (oldest !== undefined) timer = clock.setTimeout(check, Math.max(0, oldest + sleepAfterMs - clock.monotonic()));
  }

  function touch(id: Id): void {
    awake.delete(id);
    awake.set(id, clock.monotonic());
  }

  function check(): void {
    const due = [...awake].filter(([, usedAt]) => clock.monotonic() - usedAt >= sleepAfterMs);
    for (const [id] of due) {
      if (isIdle(id)) sleep(id);
      else touch(id);
    }
    arm();
  }

  function sleep(id: Id): void {
    awake.delete(id);
    putToSleep(id);
  }

  return {
    touch(id) {
      touch(id);
      for (const other of [...awake.keys()]) {
        if (awake.size <= maxAwake) break;
        if (other !== id && isIdle(other)) sleep(other);
      }
      arm();
    },
    forget(id) {
      awake.delete(id);
      arm();
    },
    stop() {
      awake.clear();
      clock.clearTimeout(timer);
    },
  };
}
