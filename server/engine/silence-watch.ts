import type { Clock } from '../clock.ts';

export interface SilenceWatch {
  /** Resets the timeout. */
  touch(): void;
  stop(): void;
}

export interface SilenceWatchOptions {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Suspends the timeout, for example while a tool runs. */
  readonly isExcused: () => boolean;
  readonly onSilence: () => void;
}

/** Calls `onSilence` once when there was no activity for `limitMs`. */
export function startSilenceWatch({ clock, limitMs, isExcused, onSilence }: SilenceWatchOptions): SilenceWatch {
  let heardAt = clock.monotonic();
  let timer: unknown;

  const arm = (ms: number) => {
    timer = clock.setTimeout(check, ms);
  };
  const check = () => {
    if (isExcused()) heardAt = clock.monotonic();
    const silentMs = clock.monotonic() - heardAt;
    if (silentMs >= limitMs) onSilence();
    else arm(limitMs - silentMs);
  };

  arm(limitMs);
  return {
    touch() {
      heardAt = clock.monotonic();
    },
    stop: () => clock.clearTimeout(timer),
  };
}
