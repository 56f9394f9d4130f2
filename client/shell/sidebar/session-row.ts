import type { SessionListItem } from '../../../shared/entities.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon, type SessionStatus, statusIcon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel, describeStatus, statusOf } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { relativeTime } from './relative-time.ts';
import { listenForMenu, rowAction } from './row-actions.ts';
import type { OpenSessionMenu } from './session-menu.ts';
import { createTerminalMark } from './terminal-mark.ts';
import { createTitleField } from './title-field.ts';

export interface SessionRow {
  readonly element: HTMLElement;
  render(session: SessionListItem, state: ShellState, now: number): void;
}

/** A session in the sidebar. Its accessible name starts with the title, so that typing the title finds it. */
export function createSessionRow(initial: SessionListItem, actions: Actions, openMenu: OpenSessionMenu): SessionRow {
  const { id, cliType } = initial;
  const { sessions } = actions;
  let session = initial;
  const status = h('span', { class: 'row-status' });
  const titleId = `title-${id}`;
  const title = h('span', { class: 'row-title', id: titleId });
  const facts = h('span', { class: 'visually-hidden' });
  const pin = icon('pin');
  const terminal = createTerminalMark();
  const time = h('time', { class: 'row-time' });
  const open = h(
    'button',
    {
      type: 'button',
      class: 'row',
      'data-row': id,
      'aria-keyshortcuts': 'F2 Delete',
      tabindex: -1,
      on: { click: () => actions.open(id) },
    },
    status,
    agentIcon(cliType),
    title,
    facts,
    terminal.element,
    pin,
    time,
  );
  const archive = rowAction(
    { 'aria-label': 'Archive', 'aria-describedby': titleId, title: 'Archive (Delete)', 'data-action': 'archive' },
    'archive',
    () => void sessions.archive(id),
  );
  const more = rowAction(
    { 'aria-label': 'More actions', 'aria-describedby': titleId, title: 'More actions', 'aria-haspopup': 'menu' },
    'more',
    () => openMenu(more, session, false),
  );
  setAttribute(more, 'aria-expanded', false);
  const buttons = h('span', { class: 'row-actions' }, archive, more);
  const element = h('li', { class: 'session' }, open, buttons);
  let shown: SessionStatus | null = null;
  let field: HTMLInputElement | null = null;

  listenForMenu(element, (at) => openMenu(more, session, false, at));
  open.addEventListener('dblclick', () => sessions.startRename(id));
  element.addEventListener('keydown', (event) => {
    if (event.key === 'F2') sessions.startRename(id);
  });

  function startEditing(): void {
    const created = createTitleField({
      title: session.title,
      onEnd(value) {
        if (value !== null) void sessions.rename(id, value);
        sessions.endRename();
      },
    });
    field = created;
    open.hidden = true;
    buttons.hidden = true;
    element.prepend(created);
    created.focus();
    created.select();
  }

  function stopEditing(edited: HTMLInputElement): void {
    const hadFocus = document.activeElement === edited;
    field = null;
    edited.remove();
    open.hidden = false;
    buttons.hidden = false;
    if (hadFocus) open.focus();
  }

  return {
    element,
    render(next, state, now) {
      session = next;
      const current = statusOf(state, id);
      if (current !== shown) status.replaceChildren(statusIcon(current));
      shown = current;
      setText(title, session.title);
      const described = [agentLabel(state, cliType), session.pinned && 'pinned', describeStatus(state, id)];
      setText(facts, described.filter(Boolean).join(', '));
      terminal.render(session, now);
      pin.toggleAttribute('hidden', !session.pinned);
      setText(time, relativeTime(session.lastActiveAt, now));
      setAttribute(time, 'datetime', session.lastActiveAt);
      setAttribute(open, 'title', session.title);
      setAttribute(open, 'aria-current', state.tabs.active === id ? 'true' : null);
      element.classList.toggle('is-open', state.tabs.order.includes(id));
      element.classList.toggle('is-attention', current === 'attention');
      const isEditing = state.renaming === id;
      if (isEditing && field === null) startEditing();
      else if (!isEditing && field !== null) stopEditing(field);
    },
  };
}
