import type { AgentStatus, Project, SessionListItem } from '../../../shared/entities.ts';
import type { CliType, SessionId } from '../../../shared/ids.ts';
import type { ShellState } from './store.ts';

/** The sessions of a project, newest activity first. */
export function sessionsOf(state: ShellState, projectId: string): readonly SessionListItem[] {
  const known = groupsOf.get(state.sessions) ?? groupByProject(state.sessions.values());
  groupsOf.set(state.sessions, known);
  return known.get(projectId) ?? [];
}

/** Grouping is remembered for a map of sessions, which is replaced whenever one of them changes. */
const groupsOf = new WeakMap<ShellState['sessions'], ReadonlyMap<string, readonly SessionListItem[]>>();

function groupByProject(sessions: Iterable<SessionListItem>): ReadonlyMap<string, readonly SessionListItem[]> {
  const groups = new Map<string, SessionListItem[]>();
  for (const session of sessions) {
    const group = groups.get(session.projectId);
    if (group === undefined) groups.set(session.projectId, [session]);
    else group.push(session);
  }
  for (const group of groups.values()) group.sort(byActivity);
  return groups;
}

const byActivity = (a: SessionListItem, b: SessionListItem): number =>
  b.lastActiveAt.localeCompare(a.lastActiveAt) || b.createdAt.localeCompare(a.createdAt);

export type Sign = 'running' | 'error' | 'attention' | 'idle';

/** The one sign that a row and a tab show for a session. */
export function signOf(state: ShellState, sessionId: SessionId): Sign {
  const session = state.sessions.get(sessionId);
  if (session?.running) return 'running';
  if (session?.state === 'dead' || session?.failed) return 'error';
  return state.attention.has(sessionId) ? 'attention' : 'idle';
}

export const signWords: Readonly<Record<Sign, string>> = {
  running: 'running',
  error: 'ended with an error',
  attention: 'finished, not seen yet',
  idle: '',
};

export function agentLabel(state: ShellState, cliType: CliType): string {
  return state.providers?.find((provider) => provider.cliType === cliType)?.label ?? cliType;
}

/** How an agent stands as a whole: its own status, or the best of its sessions' processes where each has one. */
export function agentStatusOf(state: ShellState, cliType: CliType): AgentStatus {
  const own = state.agentStatus.get(cliType);
  if (own !== undefined) return own.status;
  const statuses = [...state.sessionStatus.values()].filter((message) => message.cliType === cliType);
  for (const status of ['connected', 'starting', 'reconnecting'] as const) {
    if (statuses.some((message) => message.status === status)) return status;
  }
  return 'idle';
}

/** The project that a new session belongs to where none is named: that of the active tab, or the first. */
export function currentProject(state: ShellState): Project | null {
  const active = state.tabs.active === null ? undefined : state.sessions.get(state.tabs.active);
  const projects = state.projects ?? [];
  return projects.find((project) => project.id === active?.projectId) ?? projects[0] ?? null;
}

export interface ProjectMatch {
  readonly project: Project;
  readonly sessions: readonly SessionListItem[];
}

/** Projects and sessions that hold every word of the filter. A project that matches itself keeps all its sessions. */
export function matchingProjects(state: ShellState): readonly ProjectMatch[] {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return (state.projects ?? []).flatMap((project) => {
    const sessions = sessionsOf(state, project.id);
    if (words.length === 0 || holds(project.name)) return [{ project, sessions }];
    const matches = sessions.filter((session) => holds(`${project.name} ${session.title}`));
    return matches.length === 0 ? [] : [{ project, sessions: matches }];
  });
}
