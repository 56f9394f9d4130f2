import type { Project, SessionListItem } from '../../../shared/entities.ts';
import { h, placeChildren, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel } from '../state/selectors.ts';
import type { ArchivedList, ShellState } from '../state/store.ts';
import { relativeTime } from './relative-time.ts';
import { listenForMenu, rowAction } from './row-actions.ts';
import type { OpenSessionMenu } from './session-menu.ts';

/** Sessions shown before "Show all" is clicked. */
const MAX_SHOWN = 20;

/** The archived sessions of a project: closed until the user asks, hidden if there are none. */
export function createArchivedList({ id: projectId, name }: Project, actions: Actions, openMenu: OpenSessionMenu) {
  const number = h('span', { class: 'project-count' });
  const summary = h(
    'summary',
    {
      class: 'row row-fold row-archived',
      'data-row': `archived-${projectId}`,
      tabindex: -1,
      on: {
        click: (event) => {
          event.preventDefault();
          actions.sessions.toggleArchived(projectId);
        },
      },
    },
    icon('chevronRight'),
    h('span', { class: 'row-title' }, 'Archived'),
    number,
  );
  const list = h('ul', { 'aria-label': `Archived sessions in ${name}` });
  const element = h('details', { class: 'fold archived', hidden: true }, summary, list);
  let drawn: ArchivedList | undefined;
  let showsAll = false;

  function draw(state: ShellState, archived: ArchivedList, now: number): void {
    const sessions = archived.sessions ?? [];
    const shown = showsAll ? sessions : sessions.slice(0, MAX_SHOWN);
    const rows: HTMLElement[] = shown.map((session) => drawRow(session, state, now));
    if (archived.problem !== undefined) rows.push(h('li', { class: 'project-none' }, archived.problem));
    else if (archived.sessions === undefined) rows.push(h('li', { class: 'project-none' }, 'Loading…'));
    if (shown.length < sessions.length) rows.push(h('li', {}, showAll(state, archived, now)));
    placeChildren(list, rows);
  }

  function showAll(state: ShellState, archived: ArchivedList, now: number): HTMLElement {
    const onClick = () => {
      showsAll = true;
      draw(state, archived, now);
    };
    return h(
      'button',
      {
        type: 'button',
        class: 'row row-more',
        'data-row': `more-archived-${projectId}`,
        tabindex: -1,
        on: { click: onClick },
      },
      `Show all ${archived.sessions?.length ?? 0}`,
    );
  }

  function drawRow(session: SessionListItem, state: ShellState, now: number): HTMLElement {
    const { id, title, cliType, lastActiveAt } = session;
    const titleId = `archived-title-${id}`;
    const row = h(
      'button',
      {
        type: 'button',
        class: 'row',
        'data-row': `archived-${id}`,
        title,
        'aria-haspopup': 'menu',
        'aria-expanded': false,
        tabindex: -1,
        on: { click: () => openMenu(row, session, true) },
      },
      h('span', { class: 'row-status' }),
      agentIcon(cliType),
      h('span', { class: 'row-title', id: titleId }, title),
      h('span', { class: 'visually-hidden' }, `${agentLabel(state, cliType)}, archived`),
      h('time', { class: 'row-time', datetime: lastActiveAt }, relativeTime(lastActiveAt, now)),
    );
    const restore = rowAction(
      { 'aria-label': 'Restore', 'aria-describedby': titleId, title: 'Restore' },
      'restore',
      () => void actions.sessions.restore(id),
    );
    const remove = rowAction(
      { 'aria-label': 'Delete', 'aria-describedby': titleId, title: 'Delete… (Delete)', 'data-action': 'delete' },
      'remove',
      () => void actions.sessions.delete(id),
    );
    const item = h('li', { class: 'session is-archived' }, row, h('span', { class: 'row-actions' }, restore, remove));
    listenForMenu(item, (at) => openMenu(row, session, true, at));
    return item;
  }

  return {
    element,
    render(state: ShellState, isFiltering: boolean, now: number): void {
      const count = state.archivedCounts.get(projectId) ?? 0;
      const archived = count === 0 || isFiltering ? undefined : state.archived.get(projectId);
      element.hidden = count === 0 || isFiltering;
      setText(number, String(count));
      element.open = archived !== undefined;
      setAttribute(summary, 'title', archived === undefined ? 'Show the archived sessions' : null);
      if (archived === drawn) return;
      drawn = archived;
      if (archived === undefined) showsAll = false;
      if (archived === undefined) list.replaceChildren();
      else draw(state, archived, now);
    },
  };
}
