import type { SessionMeta } from '../../shared/entities.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { FolderWatches } from '../folder-watches.ts';
import { noteContext, noteOrigin } from './context-lines.ts';
import { createContexts } from './contexts.ts';
import { createFollowFiles } from './follow-files.ts';
import { createSessionGuard, type SessionGuard } from './guard.ts';
import { createKeepCurrent, type KeepCurrent, type KeepCurrentDeps } from './keep-current.ts';
import type { OpenSession, SnapshotFacts } from './open-session.ts';

/** Everything about sessions that other programs may open and continue: who has them, what was written, what is known. */
export interface SessionFollow extends Pick<KeepCurrent, 'closed' | 'look' | 'beforeSend'> {
  /** What is known of a session besides its conversation. */
  factsOf(sessionId: SessionId, meta: SessionMeta | undefined): SnapshotFacts;
  refuseIfHeld: SessionGuard['refuseIfHeld'];
  /** A session was opened with what the agent had at `stamp`. */
  opened(sessionId: SessionId, session: OpenSession, stamp: string | undefined): void;
  /** A turn or background work began or ended. */
  noteActivity(sessionId: SessionId): void;
  forget(sessionId: SessionId): Promise<void>;
  close(): void;
}

export interface SessionFollowDeps extends Omit<KeepCurrentDeps, 'guard' | 'contexts' | 'files'> {
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  readonly watches: FolderWatches;
}

export function createSessionFollow(deps: SessionFollowDeps): SessionFollow {
  const { open, sessions, journal, projectDirOf, announce, onFailure } = deps;
  /** Sessions that their agent has opened since the server was started. */
  const openedByAgent = new Set<SessionId>();
  const isAlive = (sessionId: SessionId) => open.get(sessionId)?.provider.isAlive(sessionId) === true;

  const contexts = createContexts({
    ...deps,
    read: async (sessionId) => open.get(sessionId)?.provider.readContext(sessionId, projectDirOf(sessionId) ?? ''),
    metaOf: sessions.get,
    wasOpened: (sessionId) => openedByAgent.has(sessionId) || isAlive(sessionId),
    onChange(sessionId, context, before) {
      const session = open.get(sessionId);
      if (session !== undefined) noteContext(session, context, before);
      announce(sessionId);
    },
  });
  const files = createFollowFiles({
    ...deps,
    onChange: (sessionId) => void current.look(sessionId).catch(onFailure),
  });
  const guard = createSessionGuard({
    ...deps,
    onChange: (sessionId, holder) => void current.followHolder(sessionId, holder).catch(onFailure),
  });
  const current = createKeepCurrent({ ...deps, guard, contexts, files });

  return {
    closed: current.closed,
    look: current.look,
    beforeSend: current.beforeSend,
    refuseIfHeld: guard.refuseIfHeld,
    factsOf(sessionId, meta) {
      const { context, branches = [] } = contexts.get(sessionId, meta) ?? {};
      const heldBy = guard.holderOf(sessionId);
      return {
        ...(context && { context }),
        ...(heldBy && { heldBy }),
        ...(branches.length > 0 && { branches: [...branches] }),
      };
    },
    opened(sessionId, session, stamp) {
      current.opened(sessionId, stamp);
      const meta = sessions.get(sessionId);
      if (meta?.origin !== undefined) void noteOrigin(meta, session, { journal, sessions }).catch(onFailure);
    },
    noteActivity(sessionId) {
      openedByAgent.add(sessionId);
      current.noteActivity(sessionId);
    },
    forget: async (sessionId) => contexts.forget(sessionId),
    close() {
      guard.close();
      files.close();
      contexts.close();
    },
  };
}
