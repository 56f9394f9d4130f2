import type { KeepStatus, Project, ProviderInfo, SessionListItem } from '../../../shared/entities.ts';
import type { AgentStatusMessage } from '../../../shared/events.ts';
import type { CliType, SessionId } from '../../../shared/ids.ts';
import type { ConnectionState, Theme } from '../../../shared/portlet-messages.ts';
import { noTabs, type Tabs } from './tabs.ts';

/** A session that was requested and does not exist yet. */
export interface StartingSession {
  readonly key: number;
  readonly projectId: string;
  readonly cliType: CliType;
}

/** The archived sessions of a project that the user looks at. */
export interface ArchivedList {
  /** Undefined until they are read. */
  readonly sessions: readonly SessionListItem[] | undefined;
  /** Why they could not be read. */
  readonly problem?: string;
}

/**
 * `no-key`: this browser has never opened an address of the server. `bad-address`: what answers does not know the secret
 * in the address. `used-address`: our server does not accept the address any more. `renewed`: nor the key. `stranger`:
 * what answers does not know our key.
 */
export type Access = 'granted' | 'no-key' | 'bad-address' | 'used-address' | 'renewed' | 'stranger';

export interface ShellState {
  readonly connection: ConnectionState;
  readonly access: Access;
  readonly demo: boolean;
  /** Null until the server has sent them. */
  readonly projects: readonly Project[] | null;
  readonly providers: readonly ProviderInfo[] | null;
  readonly sessions: ReadonlyMap<SessionId, SessionListItem>;
  readonly starting: readonly StartingSession[];
  /** How many sessions are archived in each project that has any. */
  readonly archivedCounts: ReadonlyMap<string, number>;
  /** By project, where the list is open. */
  readonly archived: ReadonlyMap<string, ArchivedList>;
  /** The session whose title is being edited. */
  readonly renaming: SessionId | null;
  /** The copies of the agents' transcripts. Null until it is known. */
  readonly kept: KeepStatus | null;
  readonly agentStatus: ReadonlyMap<CliType, AgentStatusMessage>;
  readonly sessionStatus: ReadonlyMap<SessionId, AgentStatusMessage>;
  /** Sessions that finished while their tab was not visible. */
  readonly attention: ReadonlySet<SessionId>;
  readonly tabs: Tabs;
  readonly collapsed: Readonly<Record<string, boolean>>;
  /** How many rows of a long list are drawn, by list, where the user asked for more. */
  readonly shownRows: ReadonlyMap<string, number>;
  readonly filter: string;
  readonly theme: Theme;
}

export const initialState: ShellState = {
  connection: 'connecting',
  access: 'granted',
  demo: false,
  projects: null,
  providers: null,
  sessions: new Map(),
  starting: [],
  archivedCounts: new Map(),
  archived: new Map(),
  renaming: null,
  kept: null,
  agentStatus: new Map(),
  sessionStatus: new Map(),
  attention: new Set(),
  tabs: noTabs,
  collapsed: {},
  shownRows: new Map(),
  filter: '',
  theme: 'system',
};

export type StateChange = (state: ShellState) => ShellState;

export interface Store {
  get(): ShellState;
  update(change: StateChange): void;
  /** Calls `listener` after every change. Listeners run in the order of subscription. */
  subscribe(listener: (state: ShellState, before: ShellState) => void): () => void;
}

export function createStore(initial: ShellState): Store {
  const listeners = new Set<(state: ShellState, before: ShellState) => void>();
  let state = initial;
  return {
    get: () => state,
    update(change) {
      const before = state;
      state = change(before);
      if (state === before) return;
      for (const listener of [...listeners]) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
