import type { AgentSession } from './agent-session.ts';
import type { ProcessKeeper } from './process-keeper.ts';

/** Ends a shared process that has loaded what is not trusted any more: closing its session does not unload it. */
export interface StaleProcess {
  /** Ends the process now if no session works in it, else as soon as none does. */
  mark(): Promise<void>;
  /** Call it when a session may have finished its work. */
  check(): Promise<void>;
}

export function createStaleProcess(keeper: ProcessKeeper, sessions: () => Iterable<AgentSession>): StaleProcess {
  let isStale = false;

  async function check(): Promise<void> {
    const isWorking = [...sessions()].some((session) => session.isAlive() && !session.isIdle());
    if (!isStale || isWorking) return;
    isStale = false;
    await keeper.stop('a directory is not trusted any more');
  }

  return {
    mark() {
      isStale = keeper.running !== undefined;
      return check();
    },
    check,
  };
}
