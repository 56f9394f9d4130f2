import type { SessionListItem } from '../../../shared/entities.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { ArchivedList, ShellState, StateChange } from './store.ts';

/** Changes to the lists of archived sessions. */

export function withArchivedCounts(counts: Readonly<Record<string, number>>): StateChange {
  return (state) => ({ ...state, archivedCounts: new Map(Object.entries(counts)) });
}

/** Opens the list of a project, or replaces it. */
export function withArchivedList(projectId: string, list: ArchivedList): StateChange {
  return (state) => {
    const counted = list.sessions === undefined ? state : setCount(state, projectId, list.sessions.length);
    return { ...counted, archived: new Map(state.archived).set(projectId, list) };
  };
}

export function withoutArchivedList(projectId: string): StateChange {
  return (state) => {
    const archived = new Map(state.archived);
    archived.delete(projectId);
    return { ...state, archived };
  };
}

/** Call it before the session leaves the other list. */
export function addArchived(state: ShellState, session: SessionListItem | undefined): ShellState {
  if (session === undefined) return state;
  const { projectId } = session;
  const list = state.archived.get(projectId)?.sessions;
  if (list !== undefined)
    return withArchivedList(projectId, { sessions: [session, ...without(list, session.id)] })(state);
  return setCount(state, projectId, (state.archivedCounts.get(projectId) ?? 0) + 1);
}

/** `projectId` is given if the session is known to have been archived in that project. */
export function dropArchived(state: ShellState, sessionId: SessionId, projectId?: string): ShellState {
  for (const [id, { sessions }] of state.archived) {
    if (sessions?.some((session) => session.id === sessionId)) {
      return withArchivedList(id, { sessions: without(sessions, sessionId) })(state);
    }
  }
  if (projectId === undefined) return state;
  return setCount(state, projectId, (state.archivedCounts.get(projectId) ?? 0) - 1);
}

function setCount(state: ShellState, projectId: string, count: number): ShellState {
  const archivedCounts = new Map(state.archivedCounts);
  if (count > 0) archivedCounts.set(projectId, count);
  else archivedCounts.delete(projectId);
  return { ...state, archivedCounts };
}

const without = (sessions: readonly SessionListItem[], id: SessionId): readonly SessionListItem[] =>
  sessions.filter((session) => session.id !== id);
