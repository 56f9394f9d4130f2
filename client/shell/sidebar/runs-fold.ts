import type { Project, SessionListItem } from '../../../shared/entities.ts';
import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import type { ShellState } from '../state/store.ts';
import { createSessionList } from './session-list.ts';
import type { OpenSessionMenu } from './session-menu.ts';

/** The sessions of a project that a program or a single command began: closed until the user asks. */
export function createRunsFold({ id, name }: Project, actions: Actions, openSessionMenu: OpenSessionMenu) {
  const key = `runs-${id}`;
  const label = h('span', { class: 'row-title' });
  const summary = h(
    'summary',
    {
      class: 'row row-fold',
      'data-row': key,
      title: 'Sessions of a single command, such as claude -p or codex exec',
      tabindex: -1,
      on: {
        click: (event) => {
          event.preventDefault();
          actions.toggleCollapsed(key, element.open);
        },
      },
    },
    icon('chevronRight'),
    label,
  );
  const list = h('ul', { 'aria-label': `Runs in ${name}` });
  const element = h('details', { class: 'fold runs', hidden: true }, summary, list);
  const sessions = createSessionList({ key, list, actions, openSessionMenu });

  return {
    element,
    render(runs: readonly SessionListItem[], state: ShellState, isFiltering: boolean, now: number): void {
      element.hidden = runs.length === 0;
      setText(label, runs.length === 1 ? '1 run' : `${runs.length.toLocaleString('en')} runs`);
      // Open only if the user opened it.
      element.open = runs.length > 0 && (isFiltering || state.collapsed[key] === false);
      if (element.open) sessions.render(runs, state, now);
      else sessions.clear();
    },
  };
}
