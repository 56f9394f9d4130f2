import type { SessionListItem } from '../../../shared/entities.ts';
import { h, placeChildren, setText } from '../../shared/dom.ts';
import type { Actions } from '../state/actions.ts';
import type { ShellState } from '../state/store.ts';
import type { OpenSessionMenu } from './session-menu.ts';
import { createSessionRow, type SessionRow } from './session-row.ts';

/** Rows that are drawn before "Show more" is clicked, and that each click adds. */
const FIRST = 30;
const STEP = 100;

export interface SessionListOptions {
  /** The key of this list in the state. */
  readonly key: string;
  readonly list: HTMLElement;
  readonly actions: Actions;
  readonly openSessionMenu: OpenSessionMenu;
}

export interface SessionList {
  /** `first` goes above the sessions; `none` is shown if there is nothing else. */
  render(
    sessions: readonly SessionListItem[],
    state: ShellState,
    now: number,
    around?: { first?: readonly Node[]; none?: Node | undefined },
  ): void;
  /** Its rows are not on the page: forgets them. */
  clear(): void;
}

/** The newest sessions of a long list, and a row that shows more of them. */
export function createSessionList({ key, list, actions, openSessionMenu }: SessionListOptions): SessionList {
  const rows = new Map<string, SessionRow>();
  const more = h('button', {
    type: 'button',
    class: 'row row-more',
    'data-row': `more-${key}`,
    tabindex: -1,
    on: { click: showMore },
  });
  const moreItem = h('li', {}, more);
  let limit = FIRST;

  /** The focus goes on to the first session that was added. */
  function showMore(): void {
    const before = new Set(rows.keys());
    actions.showRows(key, limit + STEP);
    const first = [...rows].find(([id]) => !before.has(id));
    first?.[1].element.querySelector<HTMLElement>('[data-row]')?.focus();
  }

  return {
    render(sessions, state, now, { first = [], none } = {}) {
      limit = state.shownRows.get(key) ?? FIRST;
      const open = new Set(state.tabs.order);
      const shown = sessions.filter(({ id, pinned }, index) => index < limit || pinned || open.has(id));
      const known = new Map(rows);
      rows.clear();
      const items: Node[] = [...first];
      for (const session of shown) {
        const row = known.get(session.id) ?? createSessionRow(session, actions, openSessionMenu);
        rows.set(session.id, row);
        row.render(session, state, now);
        items.push(row.element);
      }
      setText(more, describeMore(sessions.length - shown.length));
      if (shown.length < sessions.length) items.push(moreItem);
      placeChildren(list, items.length === 0 && none !== undefined ? [none] : items);
    },
    clear() {
      rows.clear();
      list.replaceChildren();
    },
  };
}

function describeMore(left: number): string {
  const count = left.toLocaleString('en');
  return left <= STEP ? `Show ${count} more` : `Show ${STEP} of ${count} more`;
}
