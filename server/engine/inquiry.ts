import type { Clock } from '../clock.ts';
import type { ToldList } from './native-sessions.ts';
import type { ProcessKeeper } from './process-keeper.ts';

export interface InquiryOptions {
  readonly keeper: Pick<ProcessKeeper, 'current'>;
  readonly clock: Clock;
  readonly onTold: (list: ToldList) => void;
}

/** Asks a shared process which conversations it has. Starts none and keeps none running. */
export interface Inquiry {
  /** A process has become ready. */
  ready(): void;
  turnEnded(): void;
  stop(): void;
}

/** Opening the session for which the process was started comes first. */
const AFTER_START_MS = 1_000;
/** The least time from one question to the next. */
const PAUSE_MS = 60_000;

export function createInquiry({ keeper, clock, onTold }: InquiryOptions): Inquiry {
  let timer: unknown;
  let askedAt: number | undefined;
  let isStopped = false;

  function askAfter(ms: number): void {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(() => {
      timer = undefined;
      void ask();
    }, ms);
  }

  async function ask(): Promise<void> {
    const process = keeper.current;
    if (process?.isOpen() !== true || process.listSessions === undefined) return;
    askedAt = clock.monotonic();
    const list = await process.listSessions();
    if (list !== undefined && !isStopped) onTold(list);
  }

  return {
    ready: () => askAfter(AFTER_START_MS),
    turnEnded() {
      if (timer !== undefined || isStopped) return;
      askAfter(askedAt === undefined ? 0 : Math.max(0, askedAt + PAUSE_MS - clock.monotonic()));
    },
    stop() {
      isStopped = true;
      clock.clearTimeout(timer);
    },
  };
}
