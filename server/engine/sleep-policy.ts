import type { Clock } from '../clock.ts';

export interface SleepPolicyOptions<Id> {
  readonly clock: Clock;
  /** How long one may be idle before it sleeps. */
  readonly sleepAfterMs: number;
  /** Beyond this many the one that was used least recently sleeps. */
  readonly maxAwake: number;
  /** Whether it may be put to sleep at this moment. */
  readonly isIdle: (id: Id) => boolean;
  readonly putToSleep: (id: Id) => void;
}

export interface SleepPolicy<Id> {
  /** It is awake and was used just now. */
  touch(id: Id): void;
  /** It is not awake any more. */
  forget(id: Id): void;
  stop(): void;
}

/** Decides which processes are worth their memory. */
export function createSleepPolicy<Id>(options: SleepPolicyOptions<Id>): SleepPolicy<Id> {
  const { clock, sleepAfterMs, maxAwake, isIdle, putToSleep } = options;
  /** In the order of their last use. */
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
