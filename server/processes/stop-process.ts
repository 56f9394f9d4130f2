import type { Clock } from '../clock.ts';
import { killGroup } from './kill.ts';
import type { RunningChild } from './spawn-process.ts';

export const STOP_GRACE_MS = 5_000;

export interface Stopper {
  /** Why the process was stopped. Undefined if nobody asked before it exited. */
  readonly reason: string | undefined;
  /** Closes stdin and kills the whole group if the process has not exited after the grace period. */
  stop(reason: string): void;
  /** Kills the whole group at once, also during a grace period. */
  kill(reason: string): void;
}

/** The first reason wins; a later `kill` only shortens the wait. */
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
