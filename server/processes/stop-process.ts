import type { Clock } from '../clock.ts';
import { killGroup } from './kill.ts';
import type { RunningChild } from './spawn-process.ts';

export const STOP_GRACE_MS = 5_000;

export interface Stopper {
  /** Why the process was ended. Undefined while nobody asked, and for ever once it ended by itself. */
  readonly reason: string | undefined;
  /** Closes stdin; what has not ended when the grace is over is killed with its whole group. */
  stop(reason: string): void;
  /** The same without the grace, also in the middle of one. */
  kill(reason: string): void;
}

/** The first reason wins; asking again changes nothing but the hurry. */
export function createStopper(child: RunningChild, clock: Clock, graceMs: number = STOP_GRACE_MS): Stopper {
  let reason: string | undefined;
  let timer: unknown;
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const killNow = () => {
    killGroup(child.pid);
    child.kill('SIGKILL');
  };

  child.once('exit', () => clock.clearTimeout(timer));

  return {
    get reason() {
      return reason;
    },
    stop(why) {
      if (hasExited() || reason !== undefined) return;
      reason = why;
      child.stdin.end();
      timer = clock.setTimeout(killNow, graceMs);
    },
    kill(why) {
      if (hasExited()) return;
      reason ??= why;
      clock.clearTimeout(timer);
      killNow();
    },
  };
}
