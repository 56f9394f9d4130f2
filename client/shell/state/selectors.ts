import type { AgentStatus, Project, SessionListItem } from '../../../shared/entities.ts';
import type { CliType, SessionId } from '../../../shared/ids.ts';
import { describeBackgroundTasks } from '../../shared/background-tasks.ts';
import type { SessionStatus } from '../../shared/icons.ts';
import { sessionsOf } from './sessions-of.ts';
import type { ShellState } from './store.ts';

/** The status that the row and the tab of a session show. */
export function statusOf(state: ShellState, sessionId: SessionId): SessionStatus {
  const session = state.sessions.get(sessionId);
  if (session !== undefined && isWorking(session)) return 'running';
  if (session?.state === 'dead' || session?.failed) return 'error';
  return state.attention.has(sessionId) ? 'attention' : 'idle';
}

/** A turn or background work is running. */
export function isWorking({ running, background }: SessionListItem): boolean {
  return running || background > 0;
}

/** The status in words. Empty if there is nothing to say. */
export function describeStatus(state: ShellState, sessionId: SessionId): string {
  const session = state.sessions.get(sessionId);
  const tasks = session?.background ? describeBackgroundTasks(session.background) : '';
  if (session !== undefined && tasks !== '') return session.running ? `running, ${tasks}` : tasks;
  return statusLabels[statusOf(state, sessionId)];
}

const statusLabels: Readonly<Record<SessionStatus, string>> = {
  running: 'running',
  error: 'ended with an error',
  attention: 'finished, not seen yet',
  idle: '',
};

export function agentLabel(state: ShellState, cliType: CliType): string {
  return state.providers?.find((provider) => provider.cliType === cliType)?.label ?? cliType;
}

/** The status of an agent: its own, or the best of its sessions if each has its own process. */
export function agentStatusOf(state: ShellState, cliType: CliType): AgentStatus {
  const own = state.agentStatus.get(cliType);
  if (own !== undefined) return own.status;
  const statuses = [...state.sessionStatus.values()].filter((message) => message.cliType === cliType);
  for (const status of ['connected', 'starting', 'reconnecting'] as const) {
    if (statuses.some((message) => message.status === status)) return status;
  }
  return 'idle';
}

/** The default project for a new session: the one of the active tab, or the first. */
export function currentProject(state: ShellState): Project | null {
  const active = state.tabs.active === null ? undefined : state.sessions.get(state.tabs.active);
  const projects = state.projects ?? [];
  return projects.find((project) => project.id === active?.projectId) ?? projects[0] ?? null;
}

export interface ProjectMatch {
  readonly project: Project;
  readonly sessions: readonly SessionListItem[];
}

/** Projects and sessions that contain every word of the filter. A matching project keeps all its sessions. */
export function matchingProjects(state: ShellState): readonly ProjectMatch[] {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return (state.projects ?? []).flatMap((project) => {
    const sessions = sessionsOf(state, project.id);
    if (words.length === 0 || matches(project.name)) return [{ project, sessions }];
    const found = sessions.filter((session) => matches(`${project.name} ${session.title}`));
    return found.length === 0 ? [] : [{ project, sessions: found }];
  });
}
