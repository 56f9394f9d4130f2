import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import type { SessionId } from '../../shared/ids.ts';
import {
  inListOrder,
  PAGE_SIZE,
  type SessionPatch,
  type SessionStore,
  type StoredSessions,
} from '../sessions/session-store.ts';
import type { Catalogue, FoundSession } from './catalogue.ts';
import type { Places } from './places.ts';

export interface ListedSessionsDeps {
  readonly stored: StoredSessions;
  readonly catalogue: Catalogue;
  readonly places: Pick<Places, 'projectOf'>;
  /** The directory of a project. */
  readonly pathOf: (projectId: string) => string | undefined;
  /** Under which id the conversation of a stored session is found, which is not always its own. */
  readonly foundIdOf: (sessionId: SessionId) => SessionId;
}

export interface ListedSessions extends SessionStore {
  /** The stored session that has this conversation. */
  ownerOf(foundId: SessionId): SessionId | undefined;
}

/**
 * The stored sessions and those that were found. A found one that belongs to a project is like any other: with its first
 * change it is stored too. What is stored about a session counts, except that a found message may be newer.
 */
export function createListedSessions(deps: ListedSessionsDeps): ListedSessions {
  const { stored, catalogue, places, foundIdOf } = deps;
  let owners = new Map<SessionId, SessionId>();
  const metas = new WeakMap<FoundSession, SessionMeta>();
  let ownersOf: readonly SessionMeta[] | undefined;

  function ownerOf(foundId: SessionId): SessionId | undefined {
    const all = stored.all();
    if (ownersOf !== all) {
      ownersOf = all;
      owners = new Map(all.map(({ id }) => [foundIdOf(id), id]));
    }
    return owners.get(foundId);
  }

  /** Undefined if it is not listed as a session of its own. */
  function toMeta(found: FoundSession): SessionMeta | undefined {
    const { sessionId: id, cliType, title, createdAt, lastMessageAt, isRun } = found;
    const projectId = places.projectOf(found.cwd);
    if (projectId === undefined || ownerOf(id) !== undefined || stored.isDeleted(id)) return undefined;
    const made = metas.get(found);
    if (made?.projectId === projectId) return made;
    const facts = { id, projectId, cliType, archived: false, title, lastActiveAt: lastMessageAt, createdAt };
    const meta: SessionMeta = { ...facts, used: true, source: 'terminal', ...(isRun && { run: true }) };
    if (found.cwd !== deps.pathOf(projectId)) meta.cwd = found.cwd;
    metas.set(found, meta);
    return meta;
  }

  function withFound(meta: SessionMeta): SessionMeta {
    const found = catalogue.get(foundIdOf(meta.id));
    if (found === undefined) return meta;
    const isNewer = Date.parse(found.lastMessageAt) > Date.parse(meta.lastActiveAt);
    const isNamedThere = meta.title === PLACEHOLDER_TITLE || (meta.source === 'terminal' && found.isTitleGiven);
    const title = isNamedThere && !meta.titleChosen ? found.title : meta.title;
    if (!isNewer && title === meta.title) return meta;
    return { ...meta, title, lastActiveAt: isNewer ? found.lastMessageAt : meta.lastActiveAt };
  }

  function unstored(sessionId: string): SessionMeta | undefined {
    const found = catalogue.get(sessionId);
    return found && toMeta(found);
  }

  function get(sessionId: string): SessionMeta | undefined {
    const known = stored.get(sessionId);
    return known === undefined ? unstored(sessionId) : withFound(known);
  }

  function change(sessionId: string, patch: SessionPatch, update: StoredSessions['update']): Promise<void> {
    const meta = stored.get(sessionId) === undefined ? unstored(sessionId) : undefined;
    return meta === undefined ? update(sessionId, patch) : stored.add({ ...meta, ...patch });
  }

  return {
    get,
    ownerOf,
    list(projectId) {
      const isWanted = ({ cwd }: FoundSession) => projectId === undefined || places.projectOf(cwd) === projectId;
      const found = catalogue.sessions().flatMap((session) => (isWanted(session) ? (toMeta(session) ?? []) : []));
      return inListOrder([...stored.list(projectId).map(withFound), ...found]);
    },
    listArchived: (projectId) => inListOrder(stored.listArchived(projectId).map(withFound)),
    archivedCounts: () => stored.archivedCounts(),
    page(after, isWanted) {
      const isFound = after !== undefined && stored.get(after) === undefined;
      const page = isFound ? { sessions: [], more: false } : stored.page(after, isWanted);
      if (page === undefined || page.more) return page && { ...page, sessions: page.sessions.map(withFound) };
      const all = catalogue.sessions();
      const start = isFound ? all.findIndex(({ sessionId }) => sessionId === after) + 1 : 0;
      if (isFound && start === 0) return undefined;
      const sessions = page.sessions.map(withFound);
      for (let at = start; at < all.length; at += 1) {
        const found = all[at];
        const meta = found && toMeta(found);
        if (meta === undefined || !isWanted(meta)) continue;
        if (sessions.length === PAGE_SIZE) return { sessions, more: true };
        sessions.push(meta);
      }
      return { sessions, more: false };
    },
    async add(session) {
      await stored.add(session);
      await stored.setDeleted(session.id, false);
    },
    update: (sessionId, patch) => change(sessionId, patch, stored.update),
    updateNow: (sessionId, patch) => change(sessionId, patch, stored.updateNow),
    async remove(sessionId) {
      const foundId = foundIdOf(sessionId);
      // The agent may keep its files, or it takes a moment until they are seen to be gone.
      if (catalogue.get(foundId) !== undefined) await stored.setDeleted(foundId, true);
      await stored.remove(sessionId);
    },
  };
}
