import type { CommandOutput } from '../../../shared/commands.ts';
import type { SessionListItem } from '../../../shared/entities.ts';
import type { CliType, SessionId } from '../../../shared/ids.ts';
import type { Api } from '../server/api.ts';
import type { Outcome } from '../server/outcome.ts';
import type { ServerSocket } from '../server/socket.ts';
import type { ConfirmQuestion } from '../widgets/confirm-dialog.ts';
import type { Notices } from '../widgets/notices.ts';
import { withSessions } from './changes.ts';
import { agentLabel } from './selectors.ts';
import type { SessionActions } from './session-actions.ts';
import type { Store } from './store.ts';
import { closeTab, moveTab, openTab } from './tabs.ts';
import type { TrustActions } from './trust-actions.ts';

export interface ActionsOptions {
  readonly store: Store;
  readonly api: Api;
  readonly socket: Pick<ServerSocket, 'request' | 'wake'>;
  readonly confirm: (question: ConfirmQuestion) => Promise<boolean>;
  readonly notices: Notices;
  readonly trust: TrustActions;
  readonly sessions: SessionActions;
  /** The user opened or selected a tab, which should therefore get the focus. */
  readonly onChosen: (sessionId: SessionId) => void;
}

export type Actions = ReturnType<typeof createActions>;

/** What a user can do, independent of the view. Failures are shown as notices. */
export function createActions(options: ActionsOptions) {
  const { store, api, socket, confirm, notices, trust } = options;
  let starts = 0;

  function choose(sessionId: SessionId): void {
    store.update((state) => ({ ...state, tabs: openTab(state.tabs, sessionId) }));
    options.onChosen(sessionId);
  }

  /** Shows that the session is starting until the server has answered. */
  async function requestSession(
    projectId: string,
    cliType: CliType,
  ): Promise<Outcome<CommandOutput<'session:create'>>> {
    starts += 1;
    const starting = { key: starts, projectId, cliType };
    store.update((state) => ({
      ...state,
      starting: [...state.starting, starting],
      collapsed: { ...state.collapsed, [projectId]: false },
    }));
    const outcome = await api.call('session:create', { projectId, cliType, ask: true });
    store.update((state) => ({ ...state, starting: state.starting.filter((other) => other !== starting) }));
    return outcome;
  }

  function openNew(session: SessionListItem): void {
    store.update(withSessions([session]));
    choose(session.id);
  }

  return {
    open: choose,
    openNew,
    sessions: options.sessions,
    trust: trust.trust,
    withdrawTrust: trust.withdrawTrust,

    /** Switches to a tab without moving the focus. */
    show(sessionId: SessionId): void {
      store.update((state) => ({ ...state, tabs: openTab(state.tabs, sessionId) }));
    },

    close(sessionId: SessionId): void {
      store.update((state) => ({ ...state, tabs: closeTab(state.tabs, sessionId) }));
    },

    move(sessionId: SessionId, place: number): void {
      store.update((state) => ({ ...state, tabs: moveTab(state.tabs, sessionId, place) }));
    },

    addProject: (path: string): Promise<Outcome<CommandOutput<'project:add'>>> =>
      socket.request('project:add', { path }),

    async removeProject(projectId: string): Promise<void> {
      const { projects, sessions, tabs } = store.get();
      const project = projects?.find(({ id }) => id === projectId);
      if (project === undefined) return;
      const open = tabs.order.filter((id) => sessions.get(id)?.projectId === projectId).length;
      const yes = await confirm({
        title: `Remove ${project.name}?`,
        body: `The directory and its sessions stay on disk, and the sessions come back when you add it again.${closing(open)}`,
        confirm: 'Remove',
      });
      if (!yes) return;
      const outcome = await socket.request('project:remove', { projectId });
      if (!outcome.ok) notices.error(outcome.error.message);
    },

    async createSession(projectId: string, cliType: CliType): Promise<void> {
      const outcome = await trust.withTrust(cliType, () => requestSession(projectId, cliType));
      if (outcome === undefined) return;
      if (!outcome.ok) {
        notices.error(`Could not start a session with ${agentLabel(store.get(), cliType)}. ${outcome.error.message}`);
        return;
      }
      openNew(outcome.value.session);
    },

    async reconnectAgent(cliType: CliType): Promise<void> {
      const outcome = await socket.request('session:reconnect', { cliType });
      if (!outcome.ok) notices.error(outcome.error.message);
    },

    reconnectSocket: () => socket.wake(),

    async refreshAgents(): Promise<void> {
      const outcome = await api.health();
      if (!outcome.ok) return;
      const { providers, demo } = outcome.value;
      store.update((state) => ({ ...state, providers, demo }));
    },

    /** `fold` is a project or the runs of one. */
    toggleCollapsed(fold: string, collapsed: boolean): void {
      store.update((state) => ({ ...state, collapsed: { ...state.collapsed, [fold]: collapsed } }));
    },

    showRows(list: string, count: number): void {
      store.update((state) => ({ ...state, shownRows: new Map(state.shownRows).set(list, count) }));
    },

    setFilter(filter: string): void {
      store.update((state) => (state.filter === filter ? state : { ...state, filter }));
    },
  };
}

function closing(tabs: number): string {
  if (tabs === 0) return '';
  return tabs === 1 ? ' One open tab will close.' : ` ${tabs} open tabs will close.`;
}
