import type { Clock } from '../clock.ts';
import type { ProcessKeeper } from './process-keeper.ts';

/** Ends a shared process that no session needs, some time after its last use: starting it again takes seconds. */
export interface IdleProcess {
  /** Records that it is in use. */
  touch(): void;
  /** Call it when it may not be needed any more. Resolves when it has ended, or will later. */
  check(): Promise<void>;
  stop(): void;
}

export interface IdleProcessOptions {
  readonly keeper: ProcessKeeper;
  readonly clock: Clock;
  readonly idleMs: number;
  readonly isNeeded: () => boolean;
}

export function createIdleProcess({ keeper, clock, idleMs, isNeeded }: IdleProcessOptions): IdleProcess {
  let usedAt: number | undefined;
  let timer: unknown;

  async function check(): Promise<void> {
    clock.clearTimeout(timer);
    if (isNeeded()) return;
    const left = usedAt === undefined ? 0 : usedAt + idleMs - clock.monotonic();
    if (left <= 0) await keeper.stop('asleep');
    else timer = clock.setTimeout(() => void check().catch(() => {}), left);
  }

  return {
    touch() {
      usedAt = clock.monotonic();
    },
    check,
    stop: () => clock.clearTimeout(timer),
  };
}
