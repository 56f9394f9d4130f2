import type { SessionListItem } from '../../../shared/entities.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon, type SessionStatus, statusIcon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel, describeStatus, statusOf } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { relativeTime } from './relative-time.ts';

export interface SessionRow {
  readonly element: HTMLElement;
  render(session: SessionListItem, state: ShellState, now: number): void;
}

/** A session in the sidebar. Its accessible name starts with the title, so that typing the title finds it. */
export function createSessionRow({ id, cliType }: SessionListItem, actions: Actions): SessionRow {
  const status = h('span', { class: 'row-status' });
  const titleId = `title-${id}`;
  const title = h('span', { class: 'row-title', id: titleId });
  const facts = h('span', { class: 'visually-hidden' });
  const time = h('time', { class: 'row-time' });
  const open = h(
    'button',
    { type: 'button', class: 'row', 'data-row': id, tabindex: -1, on: { click: () => actions.open(id) } },
    status,
    agentIcon(cliType),
    title,
    facts,
    time,
  );
  const archive = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon row-action',
      'aria-label': 'Archive',
      'aria-describedby': titleId,
      title: 'Archive (Delete)',
      'data-action': 'archive',
      tabindex: -1,
      on: { click: () => void actions.archive(id) },
    },
    icon('archive'),
  );
  const element = h('li', { class: 'session' }, open, archive);
  let shown: SessionStatus | null = null;

  return {
    element,
    render(session, state, now) {
      const current = statusOf(state, id);
      if (current !== shown) status.replaceChildren(statusIcon(current));
      shown = current;
      setText(title, session.title);
      setText(facts, [agentLabel(state, cliType), describeStatus(state, id)].filter(Boolean).join(', '));
      setText(time, relativeTime(session.lastActiveAt, now));
      setAttribute(time, 'datetime', session.lastActiveAt);
      setAttribute(open, 'title', session.title);
      setAttribute(open, 'aria-current', state.tabs.active === id ? 'true' : null);
      element.classList.toggle('is-open', state.tabs.order.includes(id));
      element.classList.toggle('is-attention', current === 'attention');
    },
  };
}
