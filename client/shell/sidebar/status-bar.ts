import type { AgentStatus, ProviderInfo } from '../../../shared/entities.ts';
import type { ConnectionState } from '../../../shared/portlet-messages.ts';
import { h, placeChildren, setAttribute } from '../../shared/dom.ts';
import type { Actions } from '../state/actions.ts';
import { agentStatusOf } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { createKeptLine } from './kept-line.ts';

type Dot = 'good' | 'idle' | 'busy' | 'bad';

const agentDots: Readonly<Record<AgentStatus, { dot: Dot; text: string }>> = {
  idle: { dot: 'idle', text: 'ready, not running' },
  starting: { dot: 'busy', text: 'starting' },
  connected: { dot: 'good', text: 'running' },
  reconnecting: { dot: 'busy', text: 'reconnecting' },
  disconnected: { dot: 'bad', text: 'disconnected' },
};

const connectionDots: Readonly<Record<ConnectionState, { dot: Dot; text: string }>> = {
  connecting: { dot: 'busy', text: 'connecting' },
  connected: { dot: 'good', text: 'connected' },
  reconnecting: { dot: 'busy', text: 'reconnecting' },
  disconnected: { dot: 'bad', text: 'disconnected' },
};

/** The status of the agents, of what is kept and of the connection, at the bottom of the sidebar. */
export function createStatusBar(actions: Actions, themeSwitch: HTMLElement) {
  const agents = h('ul', { class: 'status-agents', 'aria-label': 'Agents' });
  const kept = createKeptLine();
  const server = h('span', { class: 'status-item' });
  const element = h(
    'footer',
    { class: 'status-bar' },
    agents,
    ...kept.elements,
    h('div', { class: 'status-server' }, server, themeSwitch),
  );
  let drawn = '';

  function agentItem(state: ShellState, provider: ProviderInfo): HTMLElement {
    const { cliType, label, available, reason } = provider;
    const status = agentStatusOf(state, cliType);
    const { dot, text } = dotOf(state, provider, status);
    const message = available ? state.agentStatus.get(cliType)?.message : reason;
    return h(
      'li',
      { class: 'status-item', title: [`${label}: ${text}`, message].filter(Boolean).join('. ') },
      drawDot(dot),
      h('span', {}, label),
      h('span', { class: 'visually-hidden' }, `: ${text}`),
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
      kept.render(state.kept);
      const { providers, agentStatus, sessionStatus, connection } = state;
      // Redraw only after a change, so that a focused button keeps the focus.
      const next = JSON.stringify([providers, [...agentStatus], [...sessionStatus], connection]);
      if (next === drawn) return;
      drawn = next;
      placeChildren(
        agents,
        (providers ?? []).map((provider) => agentItem(state, provider)),
      );
      agents.hidden = (providers ?? []).length === 0;
      const { dot, text } = connectionDots[connection];
      server.replaceChildren(drawDot(dot), h('span', {}, `Server ${text}`));
      setAttribute(server, 'title', `Connection to the server: ${text}`);
    },
  };
}

function dotOf({ connection }: ShellState, { available }: ProviderInfo, status: AgentStatus) {
  // The last known status may be outdated.
  if (connection !== 'connected') return { dot: 'idle', text: 'unknown while disconnected from the server' } as const;
  return available ? agentDots[status] : ({ dot: 'bad', text: 'not available' } as const);
}

function drawDot(dot: Dot): HTMLElement {
  return h('span', { class: `dot dot-${dot}`, 'aria-hidden': true });
}
