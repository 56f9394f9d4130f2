import { PLACEHOLDER_TITLE } from '../../../shared/entities.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon, type SessionStatus, statusIcon } from '../../shared/icons.ts';
import { panelId, tabId } from '../portlets/portlet-frames.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel, describeStatus, statusOf } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';

export interface Tab {
  /** Contains the tab and its close button side by side: a button inside a tab would not be accessible. */
  readonly element: HTMLElement;
  readonly tab: HTMLElement;
  render(state: ShellState): void;
}

export function createTab(sessionId: SessionId, actions: Actions, onClose: (sessionId: SessionId) => void): Tab {
  const { cliType } = fromCanonical(sessionId);
  const status = h('span', { class: 'tab-status' });
  const title = h('span', { class: 'tab-title' });
  const facts = `facts-${sessionId}`;
  const description = h('span', { class: 'visually-hidden', id: facts });
  const tab = h(
    'button',
    {
      type: 'button',
      class: 'tab',
      role: 'tab',
      id: tabId(sessionId),
      'aria-describedby': facts,
      'aria-keyshortcuts': 'Delete Control+Shift+ArrowLeft Control+Shift+ArrowRight',
      on: { click: () => actions.open(sessionId) },
    },
    status,
    agentIcon(cliType),
    title,
  );
  const close = h(
    'button',
    { type: 'button', class: 'quiet icon tab-close', title: 'Close (Alt+W)', on: { click: () => onClose(sessionId) } },
    icon('close'),
  );
  const element = h(
    'div',
    {
      class: 'tab-box',
      role: 'presentation',
      draggable: 'true',
      'data-session': sessionId,
      on: {
        auxclick: (event) => {
          if (event.button === 1) onClose(sessionId);
        },
        // The middle button would start autoscrolling.
        mousedown: (event) => {
          if (event.button === 1) event.preventDefault();
        },
      },
    },
    tab,
    close,
    description,
  );
  let shown: SessionStatus | null = null;

  return {
    element,
    tab,
    render(state) {
      const isActive = state.tabs.active === sessionId;
      const name = state.sessions.get(sessionId)?.title ?? PLACEHOLDER_TITLE;
      const current = statusOf(state, sessionId);
      if (current !== shown) status.replaceChildren(statusIcon(current));
      shown = current;
      setText(title, name);
      setText(description, [agentLabel(state, cliType), describeStatus(state, sessionId)].filter(Boolean).join(', '));
      setAttribute(tab, 'title', name);
      setAttribute(tab, 'aria-selected', isActive);
      setAttribute(tab, 'aria-controls', isActive ? panelId(sessionId) : null);
      setAttribute(close, 'aria-label', `Close ${name}`);
      tab.tabIndex = isActive ? 0 : -1;
      close.tabIndex = isActive ? 0 : -1;
      element.classList.toggle('is-active', isActive);
    },
  };
}
