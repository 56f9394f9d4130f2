import type { SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { AcpSession } from './acp-session.ts';
import type { ProjectFiles } from '../workspace/project-files.ts';
import type { SessionUpdate } from '../translate/session-update.ts';
import type { Terminals } from '../workspace/terminals.ts';

/** A session that is loaded here. */
export interface OpenedSession {
  readonly sessionId: SessionId;
  readonly projectDir: string;
  readonly session: AcpSession;
  readonly files: ProjectFiles;
  readonly terminals: Terminals;
  /** Everything shown so far, where the agent cannot tell it again. */
  readonly shown: Map<string, UpsertObject>;
}

/** Which sessions are loaded, under our names and under the agent's, and where its reports go. */
export interface SessionBook {
  find(sessionId: SessionId): OpenedSession | undefined;
  findByNativeId(nativeId: string): OpenedSession | undefined;
  all(): readonly OpenedSession[];
  add(opened: OpenedSession, nativeId: string): void;
  nativeIdOf(sessionId: SessionId): string | undefined;
  remove(sessionId: SessionId): void;
  /** A report of the agent, for the session it is about. */
  receive(nativeId: string, update: SessionUpdate): void;
  /** While `load` runs, the reports about a session go to `take` instead of to the session. */
  divert<T>(nativeId: string, take: (update: SessionUpdate) => void, load: () => Promise<T>): Promise<T>;
}

export function createSessionBook(): SessionBook {
  const bySessionId = new Map<SessionId, { opened: OpenedSession; nativeId: string }>();
  const byNativeId = new Map<string, OpenedSession>();
  const diverted = new Map<string, (update: SessionUpdate) => void>();

  const remove = (sessionId: SessionId) => {
    const known = bySessionId.get(sessionId);
    if (known === undefined) return;
    bySessionId.delete(sessionId);
    byNativeId.delete(known.nativeId);
  };

  return {
    find: (sessionId) => bySessionId.get(sessionId)?.opened,
    findByNativeId: (nativeId) => byNativeId.get(nativeId),
    all: () => [...byNativeId.values()],
    add(opened, nativeId) {
      remove(opened.sessionId);
      bySessionId.set(opened.sessionId, { opened, nativeId });
      byNativeId.set(nativeId, opened);
    },
    nativeIdOf: (sessionId) => bySessionId.get(sessionId)?.nativeId,
    remove,
    receive(nativeId, update) {
      const take = diverted.get(nativeId);
      if (take !== undefined) take(update);
      else byNativeId.get(nativeId)?.session.receive(update);
    },
    async divert(nativeId, take, load) {
      diverted.set(nativeId, take);
      try {
        return await load();
      } finally {
        diverted.delete(nativeId);
      }
    },
  };
}
