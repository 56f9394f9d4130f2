import type { SessionUpdate } from '../translate/session-update.ts';
import type { AcpSession } from './acp-session.ts';

/** The sessions that an agent process has in memory, by the agent's own ids, and where its updates go. */
export interface SessionIndex {
  find(nativeId: string): AcpSession | undefined;
  all(): readonly AcpSession[];
  add(session: AcpSession): void;
  remove(session: AcpSession): void;
  /** Passes an update on to the session it is about. */
  receive(nativeId: string, update: SessionUpdate): void;
  /** While `load` runs, the updates of a session go to `take` instead of to the session. */
  redirectUpdates<T>(nativeId: string, take: (update: SessionUpdate) => void, load: () => Promise<T>): Promise<T>;
}

export function createSessionIndex(): SessionIndex {
  const sessions = new Map<string, AcpSession>();
  const redirected = new Map<string, (update: SessionUpdate) => void>();

  return {
    find: (nativeId) => sessions.get(nativeId),
    all: () => [...sessions.values()],
    add: (session) => sessions.set(session.nativeId, session),
    remove(session) {
      if (sessions.get(session.nativeId) === session) sessions.delete(session.nativeId);
    },
    receive(nativeId, update) {
      const take = redirected.get(nativeId);
      if (take !== undefined) take(update);
      else sessions.get(nativeId)?.receive(update);
    },
    async redirectUpdates(nativeId, take, load) {
      redirected.set(nativeId, take);
      try {
        return await load();
      } finally {
        redirected.delete(nativeId);
      }
    },
  };
}
