import type { Clock } from '../../../clock.ts';
import type { DriverAction } from '../../../engine/driver.ts';

const INTERVAL_MS = 100;

export interface OutputThrottle {
  apply(actions: readonly DriverAction[]): void;
  /** Drops what is held back. */
  stop(): void;
}

/** Shows the output of a running call ten times a second at most. What is held back is the latest; a result says more. */
export function createOutputThrottle(clock: Clock, show: (actions: readonly DriverAction[]) => void): OutputThrottle {
  const timers = new Map<string, unknown>();
  const held = new Map<string, DriverAction>();

  function startPause(callId: string): void {
    timers.set(
      callId,
      clock.setTimeout(() => {
        timers.delete(callId);
        const latest = held.get(callId);
        held.delete(callId);
        if (latest === undefined) return;
        startPause(callId);
        show([latest]);
      }, INTERVAL_MS),
    );
  }

  function forget(callId: string): void {
    clock.clearTimeout(timers.get(callId));
    timers.delete(callId);
    held.delete(callId);
  }

  function isDue(action: DriverAction): boolean {
    if (action.do === 'tool_done') forget(action.callId);
    if (action.do !== 'tool_output') return true;
    if (timers.has(action.callId)) {
      held.set(action.callId, action);
      return false;
    }
    startPause(action.callId);
    return true;
  }

  return {
    apply(actions) {
      const due = actions.filter(isDue);
      if (due.length > 0 || actions.length === 0) show(due);
    },
    stop() {
      for (const callId of [...timers.keys()]) forget(callId);
    },
  };
}
