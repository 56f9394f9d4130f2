import type { SessionUpdate } from '../translate/session-update.ts';
import type { AcpSession } from './acp-session.ts';

/** Gets the updates of a session and of its sub-agents, whose session is then `from`. */
type TakeUpdate = (update: SessionUpdate, from?: string) => void;

/** The sessions that an agent process has in memory, by the agent's own ids, and where its updates go. */
export interface SessionIndex {
  /** Also by the id of a sub-agent's session, which belongs to the session that set it to work. */
  find(nativeId: string): AcpSession | undefined;
  all(): readonly AcpSession[];
  add(session: AcpSession): void;
  remove(session: AcpSession): void;
  /** Passes an update on to the session it is about. */
  receive(nativeId: string, update: SessionUpdate): void;
  /** While `load` runs, the updates of a session go to `take` instead of to the session. */
  redirectUpdates<T>(nativeId: string, take: TakeUpdate, load: () => Promise<T>): Promise<T>;
}

/** Far above what a replay holds back; what goes beyond belongs to nobody. */
const MAX_HELD_UPDATES = 100_000;

export function createSessionIndex(): SessionIndex {
  const sessions = new Map<string, AcpSession>();
  const redirected = new Map<string, TakeUpdate>();
  /** The session that each sub-agent belongs to, however deep. */
  const roots = new Map<string, string>();
  /** Updates of unknown sessions: a replay names a sub-agent after it has told what that did. */
  const held = new Map<string, SessionUpdate[]>();
  let heldCount = 0;

  const find = (nativeId: string) => sessions.get(roots.get(nativeId) ?? nativeId);

  function takerOf(rootId: string): TakeUpdate | undefined {
    return redirected.get(rootId) ?? sessions.get(rootId)?.receive;
  }

  function hold(nativeId: string, update: SessionUpdate): void {
    if (redirected.size === 0 || heldCount >= MAX_HELD_UPDATES) return;
    heldCount += 1;
    const waiting = held.get(nativeId);
    if (waiting === undefined) held.set(nativeId, [update]);
    else waiting.push(update);
  }

  function release(nativeId: string): SessionUpdate[] {
    const waiting = held.get(nativeId) ?? [];
    held.delete(nativeId);
    heldCount -= waiting.length;
    return waiting;
  }

  function receive(nativeId: string, update: SessionUpdate): void {
    const rootId = roots.get(nativeId) ?? nativeId;
    const take = takerOf(rootId);
    if (take === undefined) {
      hold(nativeId, update);
      return;
    }
    take(update, rootId === nativeId ? undefined : nativeId);
    if (update.sessionUpdate !== 'subagent_update') return;
    roots.set(update.sessionId, rootId);
    for (const earlier of release(update.sessionId)) receive(update.sessionId, earlier);
  }

  return {
    find,
    all: () => [...sessions.values()],
    add: (session) => sessions.set(session.nativeId, session),
    remove(session) {
      if (sessions.get(session.nativeId) !== session) return;
      sessions.delete(session.nativeId);
      for (const [childId, rootId] of [...roots]) if (rootId === session.nativeId) roots.delete(childId);
    },
    receive,
    async redirectUpdates(nativeId, take, load) {
      // The replay names them again; until then `take` would not know what to do with their updates.
      const known = [...roots].filter(([, rootId]) => rootId === nativeId);
      for (const [childId] of known) roots.delete(childId);
      redirected.set(nativeId, take);
      try {
        return await load();
      } finally {
        redirected.delete(nativeId);
        for (const [childId, rootId] of known) roots.set(childId, rootId);
        if (redirected.size === 0) {
          held.clear();
          heldCount = 0;
        }
      }
    },
  };
}
