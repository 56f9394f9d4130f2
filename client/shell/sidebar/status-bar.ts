import type { AgentStatus, ProviderInfo } from '../../../shared/entities.ts';
import type { ConnectionState } from '../../../shared/portlet-messages.ts';
import { h, placeChildren, setAttribute } from '../../shared/dom.ts';
import type { Actions } from '../state/actions.ts';
import { agentStatusOf } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';

type Dot = 'good' | 'idle' | 'busy' | 'bad';

const agentDots: Readonly<Record<AgentStatus, { dot: Dot; words: string }>> = {
  idle: { dot: 'idle', words: 'ready, not running' },
  starting: { dot: 'busy', words: 'starting' },
  connected: { dot: 'good', words: 'running' },
  reconnecting: { dot: 'busy', words: 'reconnecting' },
  disconnected: { dot: 'bad', words: 'disconnected' },
};

const connectionDots: Readonly<Record<ConnectionState, { dot: Dot; words: string }>> = {
  connecting: { dot: 'busy', words: 'connecting' },
  connected: { dot: 'good', words: 'connected' },
  reconnecting: { dot: 'busy', words: 'reconnecting' },
  disconnected: { dot: 'bad', words: 'disconnected' },
};

/** How the agents and the connection to the server stand, at the foot of the sidebar. */
export function createStatusBar(actions: Actions, themeSwitch: HTMLElement) {
  const agents = h('ul', { class: 'status-agents', 'aria-label': 'Agents' });
  const server = h('span', { class: 'status-item' });
  const element = h(
    'footer',
    { class: 'status-bar' },
    agents,
    h('div', { class: 'status-server' }, server, themeSwitch),
  );
  let drawn = '';

  function agentItem(state: ShellState, provider: ProviderInfo): HTMLElement {
    const { cliType, label, available, reason } = provider;
    const status = agentStatusOf(state, cliType);
    const { dot, words } = dotOf(state, provider, status);
    const message = available ? state.agentStatus.get(cliType)?.message : reason;
    return h(
      'li',
      { class: 'status-item', title: [`${label}: ${words}`, message].filter(Boolean).join('. ') },
      drawDot(dot),
      h('span', {}, label),
      h('span', { class: 'visually-hidden' }, `: ${words}`),
      available &&
        status === 'disconnected' &&
        state.connection === 'connected' &&
        h(
          'button',
          {
            type: 'button',
            class: 'status-reconnect',
            title: `Start ${label} again`,
            on: { click: () => void actions.reconnectAgent(cliType) },
          },
          'Reconnect',
        ),
    );
  }

  return {
    element,
    render(state: ShellState): void {
      const { providers, agentStatus, sessionStatus, connection } = state;
      // Drawn anew only when something in it changed, so that a focused button stays.
      const next = JSON.stringify([providers, [...agentStatus], [...sessionStatus], connection]);
      if (next === drawn) return;
      drawn = next;
      placeChildren(
        agents,
        (providers ?? []).map((provider) => agentItem(state, provider)),
      );
      agents.hidden = (providers ?? []).length === 0;
      const { dot, words } = connectionDots[connection];
      server.replaceChildren(drawDot(dot), h('span', {}, `Server ${words}`));
      setAttribute(server, 'title', `Connection to the server: ${words}`);
    },
  };
}

function dotOf({ connection }: ShellState, { available }: ProviderInfo, status: AgentStatus) {
  // What was heard last may not be so any more.
  if (connection !== 'connected') return { dot: 'idle', words: 'not known without the server' } as const;
  return available ? agentDots[status] : ({ dot: 'bad', words: 'not available' } as const);
}

function drawDot(dot: Dot): HTMLElement {
  return h('span', { class: `dot dot-${dot}`, 'aria-hidden': true });
}
