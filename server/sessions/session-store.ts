import { z } from 'zod';
import { type SessionMeta, sessionMetaSchema } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { type SessionId, sessionIdSchema } from '../../shared/ids.ts';
import { commitNow, type JsonStore } from '../store/index.ts';

export const sessionsFormat = {
  version: 1,
  schema: z.object({
    sessions: z.array(sessionMetaSchema),
    /** Sessions that were deleted here while the agent kept its files. Absent in files of older versions. */
    deleted: z.array(sessionIdSchema).optional(),
  }),
};
export type SessionsData = z.infer<typeof sessionsFormat.schema>;
export const noSessions: SessionsData = { sessions: [] };

export type SessionPatch = Partial<Omit<SessionMeta, 'id' | 'projectId' | 'cliType' | 'createdAt'>>;

export const PAGE_SIZE = 1_000;

export interface SessionPage {
  readonly sessions: SessionMeta[];
  readonly more: boolean;
}

/** Stores session metadata. Conversations belong to the agents. */
export interface SessionStore {
  /** Sessions that are not archived, pinned ones and then most recent activity first, of one project or of all. */
  list(projectId?: string): SessionMeta[];
  /** The archived sessions of a project, in the same order. */
  listArchived(projectId: string): SessionMeta[];
  /** How many sessions are archived in each project that has any. */
  archivedCounts(): Readonly<Record<string, number>>;
  /**
   * At most 1,000 sessions that are not archived, in the order of their creation: those that come after a session, or
   * the first ones. Undefined if there is no such session.
   */
  page(after: string | undefined, isWanted: (session: SessionMeta) => boolean): SessionPage | undefined;
  /** Includes archived sessions. */
  get(sessionId: string): SessionMeta | undefined;
  /**
   * Adds or replaces a session. Resolves when it is on disk. Rejects with STORAGE_FAILED, and then nothing has changed.
   */
  add(session: SessionMeta): Promise<void>;
  /**
   * Takes effect immediately. The promise settles when the change is on disk, half a second later, and may be ignored:
   * the store reports a failed save. Rejects with SESSION_NOT_FOUND.
   */
  update(sessionId: string, patch: SessionPatch): Promise<void>;
  /** Like `update`, but writes at once. If it rejects with STORAGE_FAILED, the change is in effect anyway. */
  updateNow(sessionId: string, patch: SessionPatch): Promise<void>;
  /** Resolves when it is on disk. Rejects with STORAGE_FAILED, and then nothing has changed. */
  remove(sessionId: string): Promise<void>;
}

/** The sessions in our own file. */
export interface StoredSessions extends SessionStore {
  /** All of them, archived or not. The same array as long as nothing has changed. */
  all(): readonly SessionMeta[];
  /** Whether it was deleted here although the agent has it. */
  isDeleted(sessionId: string): boolean;
  /** Resolves when it is on disk. Rejects with STORAGE_FAILED, and then nothing has changed. */
  setDeleted(sessionId: SessionId, isDeleted: boolean): Promise<void>;
}

export function createSessionStore(store: JsonStore<SessionsData>): StoredSessions {
  const get = (id: string) => store.read().sessions.find((session) => session.id === id);

  const select = (isWanted: (session: SessionMeta) => boolean) => inListOrder(store.read().sessions.filter(isWanted));

  function update(sessionId: string, patch: SessionPatch): Promise<void> {
    const session = get(sessionId);
    if (session === undefined) return Promise.reject(new AppError('SESSION_NOT_FOUND'));
    const updated = { ...session, ...patch };
    return store.update(({ sessions, ...rest }) => ({
      ...rest,
      sessions: sessions.map((other) => (other.id === sessionId ? updated : other)),
    }));
  }

  return {
    get,
    update,
    all: () => store.read().sessions,
    isDeleted: (sessionId) => store.read().deleted?.includes(sessionId) ?? false,
    async setDeleted(sessionId, isDeleted) {
      const change = (isNow: boolean) => (data: SessionsData) => {
        const others = (data.deleted ?? []).filter((id) => id !== sessionId);
        return { ...data, deleted: isNow ? [...others, sessionId] : others };
      };
      if ((store.read().deleted?.includes(sessionId) ?? false) !== isDeleted)
        await commitNow(store, change(isDeleted), change(!isDeleted));
    },
    async updateNow(sessionId, patch) {
      if (get(sessionId) === undefined) throw new AppError('SESSION_NOT_FOUND');
      // The flush tells whether it was saved. A save that it joined may fail before the flush has tried again.
      update(sessionId, patch).catch(() => {});
      await store.flush();
    },
    list: (projectId) =>
      select((session) => !session.archived && (projectId ?? session.projectId) === session.projectId),
    listArchived: (projectId) => select((session) => session.archived && session.projectId === projectId),
    archivedCounts() {
      const counts: Record<string, number> = {};
      for (const { archived, projectId } of store.read().sessions) {
        if (archived) counts[projectId] = (counts[projectId] ?? 0) + 1;
      }
      return counts;
    },
    page(after, isWanted) {
      const all = store.read().sessions;
      const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      if (after !== undefined && start === 0) return undefined;
      const sessions: SessionMeta[] = [];
      for (let at = start; at < all.length; at += 1) {
        const session = all[at];
        if (session === undefined || session.archived || !isWanted(session)) continue;
        if (sessions.length === PAGE_SIZE) return { sessions, more: true };
        sessions.push(session);
      }
      return { sessions, more: false };
    },
    add(added) {
      const before = get(added.id);
      return commitNow(
        store,
        ({ sessions, ...rest }) => ({ ...rest, sessions: [...without(sessions, added.id), added] }),
        ({ sessions, ...rest }) => ({
          ...rest,
          sessions: [...without(sessions, added.id), ...(before ? [before] : [])],
        }),
      );
    },
    async remove(sessionId) {
      const before = get(sessionId);
      if (before === undefined) return;
      await commitNow(
        store,
        ({ sessions, ...rest }) => ({ ...rest, sessions: without(sessions, sessionId) }),
        ({ sessions, ...rest }) => ({ ...rest, sessions: [...without(sessions, sessionId), before] }),
      );
    },
  };
}

function without(sessions: readonly SessionMeta[], sessionId: string): SessionMeta[] {
  return sessions.filter(({ id }) => id !== sessionId);
}

/** Pinned ones first, then those with the most recent activity, then those that were created last. */
export function inListOrder(sessions: readonly SessionMeta[]): SessionMeta[] {
  const keyed = sessions.map((session) => ({
    session,
    pinned: Number(session.pinned ?? false),
    activeAt: Date.parse(session.lastActiveAt),
    createdAt: Date.parse(session.createdAt),
  }));
  keyed.sort((a, b) => b.pinned - a.pinned || b.activeAt - a.activeAt || b.createdAt - a.createdAt);
  return keyed.map(({ session }) => session);
}
