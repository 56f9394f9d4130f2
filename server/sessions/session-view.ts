import type { SessionListItem, SessionMeta, SessionState } from '../../shared/entities.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { AgentTracker } from './agent-tracker.ts';
import type { Announce, SnapshotFacts } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import type { SessionStore } from './session-store.ts';

/** Builds session list items and announces their changes. */
export interface SessionView {
  item(meta: SessionMeta): SessionListItem;
  state(sessionId: SessionId): SessionState;
  isRunning(sessionId: SessionId): boolean;
  /** Sends the current list item to all windows, unless the session is archived or not saved yet. */
  announce(sessionId: SessionId): void;
  /** Tells all windows of sessions from terminals, at most 500. */
  announceFound(sessions: readonly SessionMeta[]): void;
}

export interface SessionViewDeps {
  readonly sessions: SessionStore;
  readonly open: () => OpenSessions;
  readonly agents: () => AgentTracker;
  readonly announce: Announce;
  /** Whether there is a copy of the agent's transcript. */
  readonly isKept: (sessionId: SessionId) => boolean;
  readonly factsOf: (meta: SessionMeta) => SnapshotFacts;
}

export function createSessionView(deps: SessionViewDeps): SessionView {
  const { sessions, open, agents, announce, isKept } = deps;
  /** Kept after eviction, so that a later list still shows the failure. */
  const failed = new Set<SessionId>();
  const isRunning = (sessionId: SessionId) => open().get(sessionId)?.isRunning() ?? false;

  function state(sessionId: SessionId): SessionState {
    if (open().isLoading(sessionId)) return 'loading';
    if (open().get(sessionId) === undefined) return 'closed';
    return agents().isDown(sessionId) ? 'dead' : 'open';
  }

  /** Plain, because there may be tens of thousands. */
  function item(meta: SessionMeta): SessionListItem {
    const { id } = meta;
    const session = open().get(id);
    const access = session?.provider.access(id);
    const { heldBy, context, branches } = deps.factsOf(meta);
    const listed: SessionListItem = {
      id,
      sessionId: id,
      projectId: meta.projectId,
      cliType: meta.cliType,
      title: meta.title,
      lastActiveAt: meta.lastActiveAt,
      createdAt: meta.createdAt,
      state: state(id),
      running: isRunning(id),
      background: session?.backgroundCount() ?? 0,
      failed: failed.has(id),
      pinned: meta.pinned ?? false,
      kept: isKept(id),
      source: meta.source ?? 'here',
    };
    if (access !== undefined) listed.access = access.mode;
    if (meta.run) listed.run = meta.run;
    if (heldBy !== undefined) listed.heldBy = heldBy;
    if (context !== undefined) listed.context = context;
    if (branches !== undefined) listed.branches = branches;
    return listed;
  }

  function noteFailure(sessionId: SessionId): void {
    const session = open().get(sessionId);
    if (session?.hasFailed()) failed.add(sessionId);
    else if (session !== undefined) failed.delete(sessionId);
  }

  return {
    item,
    state,
    isRunning,
    announceFound: (found) => announce({ to: 'all', message: { type: 'session:found', sessions: found.map(item) } }),
    announce(sessionId) {
      noteFailure(sessionId);
      const meta = sessions.get(sessionId);
      if (meta === undefined || meta.archived) return;
      announce({ to: 'all', message: { type: 'session:changed', sessionId, session: item(meta) } });
    },
  };
}
