import type { KeepStatus, Project, SessionListItem } from '../../../shared/entities.ts';
import type { AgentStatusMessage } from '../../../shared/events.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { ServerFrame } from '../server/server-frames.ts';
import { addArchived, dropArchived } from './archived.ts';
import type { ShellState, StateChange } from './store.ts';
import { closeTab, closeTabs } from './tabs.ts';

/** State changes caused by the server. */

export function withProjects(projects: readonly Project[]): StateChange {
  return (state) => {
    const known = new Set(projects.map((project) => project.id));
    return dropSessions({ ...state, projects }, (session) => !known.has(session.projectId));
  };
}

/** Replaces all sessions of a project. */
export function withSessionList(projectId: string, sessions: readonly SessionListItem[]): StateChange {
  return (state) => {
    const merged = new Map([...state.sessions].filter(([, session]) => session.projectId !== projectId));
    for (const session of sessions) merged.set(session.id, session);
    return { ...state, sessions: merged };
  };
}

/** Adds or replaces these sessions. */
export function withSessions(sessions: readonly SessionListItem[]): StateChange {
  return (state) => {
    if (sessions.length === 0) return state;
    const merged = new Map(state.sessions);
    for (const session of sessions) merged.set(session.id, session);
    return { ...state, sessions: merged };
  };
}

/** Drops sessions that the server no longer lists. Their tabs stay until every list has been read. */
export function dropUnlisted(gone: readonly SessionId[]): StateChange {
  return (state) => {
    if (gone.length === 0) return state;
    const sessions = new Map(state.sessions);
    for (const id of gone) sessions.delete(id);
    return { ...state, sessions };
  };
}

/** Closes tabs whose session is in no list. Only valid once every list has been read. */
export const closeUnknownTabs: StateChange = (state) => {
  const tabs = closeTabs(state.tabs, (id) => !state.sessions.has(id));
  return tabs.order.length === state.tabs.order.length ? state : { ...state, tabs };
};

/** Agent statuses may have changed while disconnected. */
export const forgetAgents: StateChange = (state) => ({ ...state, agentStatus: new Map(), sessionStatus: new Map() });

export function seen(sessionId: SessionId): StateChange {
  return (state) =>
    state.attention.has(sessionId) ? { ...state, attention: without(state.attention, sessionId) } : state;
}

/** What is known of the copies of transcripts. */
export function withKept({ on, bytes, sessions, files, limitBytes, state, message }: KeepStatus): StateChange {
  const kept = { on, bytes, sessions, files, limitBytes, state, ...(message !== undefined && { message }) };
  return (before) => ({ ...before, kept });
}

export function withFrame(frame: ServerFrame): StateChange {
  return (state) => {
    switch (frame.type) {
      case 'project:added':
        return withProject(state, frame.project);
      case 'project:changed':
        return changeProject(state, frame.project);
      case 'project:removed':
        return withProjects((state.projects ?? []).filter((project) => project.id !== frame.projectId))(state);
      case 'session:created':
        return withSession(state, frame.session);
      case 'session:found':
        return withSessions(frame.sessions)(state);
      case 'session:changed':
        return withAttention(withSession(state, frame.session), state.sessions.get(frame.sessionId));
      case 'session:unarchived': {
        const isListed = state.sessions.has(frame.sessionId);
        const left = isListed ? state : dropArchived(state, frame.sessionId, frame.session.projectId);
        return withSession(left, frame.session);
      }
      case 'session:archived':
        return dropSession(addArchived(state, state.sessions.get(frame.sessionId)), frame.sessionId);
      case 'session:deleted':
        return dropSession(dropArchived(state, frame.sessionId), frame.sessionId);
      case 'session:title-updated': {
        const session = state.sessions.get(frame.sessionId);
        return session === undefined ? state : withSession(state, { ...session, title: frame.title });
      }
      case 'agent:status':
        return withAgentStatus(state, frame);
      case 'keep:status':
        return withKept(frame)(state);
      case 'session:upsert':
      case 'session:turn':
      case 'session:append':
      case 'session:history':
      case 'session:resumed':
      case 'error':
        return state;
    }
  };
}

function withProject(state: ShellState, project: Project): ShellState {
  const projects = state.projects ?? [];
  return projects.some(({ id }) => id === project.id) ? state : { ...state, projects: [...projects, project] };
}

function changeProject(state: ShellState, changed: Project): ShellState {
  const projects = (state.projects ?? []).map((project) => (project.id === changed.id ? changed : project));
  return { ...state, projects };
}

function withSession(state: ShellState, session: SessionListItem): ShellState {
  return { ...state, sessions: new Map(state.sessions).set(session.id, session) };
}

/**
 * Marks a session in which a turn or the last background work has just finished. `seen` clears the mark at once if its
 * tab is being looked at.
 */
function withAttention(state: ShellState, before: SessionListItem | undefined): ShellState {
  const after = before && state.sessions.get(before.id);
  if (before === undefined || after === undefined || after.running) return state;
  const hasFinished = before.running || (before.background > 0 && after.background === 0);
  if (!hasFinished) return state;
  return { ...state, attention: new Set(state.attention).add(after.id) };
}

function withAgentStatus(state: ShellState, message: AgentStatusMessage): ShellState {
  if (message.sessionId === undefined) {
    return { ...state, agentStatus: new Map(state.agentStatus).set(message.cliType, message) };
  }
  return { ...state, sessionStatus: new Map(state.sessionStatus).set(message.sessionId, message) };
}

function dropSessions(state: ShellState, gone: (session: SessionListItem) => boolean): ShellState {
  const leaving = [...state.sessions.values()].filter(gone).map((session) => session.id);
  if (leaving.length === 0) return state;
  const sessions = new Map(state.sessions);
  for (const id of leaving) sessions.delete(id);
  return { ...state, sessions, tabs: leaving.reduce(closeTab, state.tabs) };
}

const dropSession = (state: ShellState, sessionId: SessionId): ShellState =>
  dropSessions(state, ({ id }) => id === sessionId);

function without<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  return new Set([...set].filter((other) => other !== value));
}
