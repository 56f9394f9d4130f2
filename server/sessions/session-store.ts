import { z } from 'zod';
import { type SessionMeta, sessionMetaSchema } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { commitNow, type JsonStore } from '../store/index.ts';

export const sessionsFormat = {
  version: 1,
  schema: z.object({ sessions: z.array(sessionMetaSchema) }),
};
export type SessionsData = z.infer<typeof sessionsFormat.schema>;
export const noSessions: SessionsData = { sessions: [] };

export type SessionPatch = Partial<Pick<SessionMeta, 'archived' | 'title' | 'lastActiveAt' | 'used' | 'seqCeiling'>>;

/** What we know about sessions; their conversations are the agents'. */
export interface SessionStore {
  /** Sessions that are not archived, newest activity first; of one project or of all. */
  list(projectId?: string): SessionMeta[];
  /** Archived ones too. */
  get(sessionId: string): SessionMeta | undefined;
  /**
   * Replaces a session of the same id. Resolves when it is on the disk, without delay; rejects with STORAGE_FAILED
   * and nothing has changed then.
   */
  add(session: SessionMeta): Promise<void>;
  /**
   * In force when the call returns. The promise settles when the change is on the disk, half a second later, and may be
   * ignored: a failed save is reported by the store. Rejects with SESSION_NOT_FOUND.
   */
  update(sessionId: string, patch: SessionPatch): Promise<void>;
  /** Like `update`, but on the disk without delay. Rejects with STORAGE_FAILED; the change is in force all the same. */
  updateNow(sessionId: string, patch: SessionPatch): Promise<void>;
}

export function createSessionStore(store: JsonStore<SessionsData>): SessionStore {
  const get = (id: string) => store.read().sessions.find((session) => session.id === id);

  function update(sessionId: string, patch: SessionPatch): Promise<void> {
    const session = get(sessionId);
    if (session === undefined) return Promise.reject(new AppError('SESSION_NOT_FOUND'));
    const updated = { ...session, ...patch };
    return store.update(({ sessions }) => ({
      sessions: sessions.map((other) => (other.id === sessionId ? updated : other)),
    }));
  }

  return {
    get,
    update,
    async updateNow(sessionId, patch) {
      if (get(sessionId) === undefined) throw new AppError('SESSION_NOT_FOUND');
      // The flush tells whether it was saved. A save that it joined may fail before the flush has tried again.
      update(sessionId, patch).catch(() => {});
      await store.flush();
    },
    list: (projectId) =>
      store
        .read()
        .sessions.filter((session) => !session.archived && (projectId ?? session.projectId) === session.projectId)
        .sort(byNewestActivity),
    add(added) {
      const before = get(added.id);
      return commitNow(
        store,
        ({ sessions }) => ({ sessions: [...without(sessions, added.id), added] }),
        ({ sessions }) => ({ sessions: [...without(sessions, added.id), ...(before ? [before] : [])] }),
      );
    },
  };
}

function without(sessions: readonly SessionMeta[], sessionId: string): SessionMeta[] {
  return sessions.filter(({ id }) => id !== sessionId);
}

function byNewestActivity(a: SessionMeta, b: SessionMeta): number {
  return Date.parse(b.lastActiveAt) - Date.parse(a.lastActiveAt) || Date.parse(b.createdAt) - Date.parse(a.createdAt);
}
