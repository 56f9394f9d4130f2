import type { Announcer } from '../../shared/announcer.ts';
import { h, placeChildren, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { commandKey } from '../../shared/shortcuts.ts';
import type { Actions } from '../state/actions.ts';
import { matchingProjects } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { createProjectGroup, type ProjectGroup } from './project-group.ts';
import { createSidebarKeys } from './sidebar-keys.ts';
import { createTrustMenu } from './trust-sign.ts';

export interface SidebarOptions {
  readonly actions: Actions;
  readonly announcer: Announcer;
  readonly pickAgent: (anchor: HTMLElement, projectId: string) => void;
  readonly addProject: () => void;
  readonly hide: () => void;
  readonly now: () => number;
  readonly footer: HTMLElement;
}

export interface Sidebar {
  readonly element: HTMLElement;
  render(state: ShellState): void;
  focusFilter(): void;
  focusProject(projectId: string): void;
}

export function createSidebar(options: SidebarOptions): Sidebar {
  const { actions, announcer } = options;
  const groups = new Map<string, ProjectGroup>();
  const openTrustMenu = createTrustMenu(actions);

  const add = h(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': 'Add project', on: { click: options.addProject } },
    icon('add'),
    'Add',
  );
  const hide = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon',
      'aria-label': 'Hide sidebar',
      title: `Hide sidebar (${commandKey()}B)`,
      on: { click: options.hide },
    },
    icon('sidebar'),
  );
  const filter = h('input', {
    type: 'search',
    class: 'filter',
    placeholder: 'Filter',
    'aria-label': 'Filter sessions and projects',
    'aria-keyshortcuts': 'Control+K Meta+K',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = h('ul', { class: 'projects' });
  const nothing = h('p', { class: 'sidebar-empty' });
  const nav = h('nav', { class: 'sidebar-list', 'aria-label': 'Projects and sessions' }, nothing, list);
  const element = h(
    'aside',
    { class: 'sidebar', 'aria-label': 'Sidebar' },
    h('div', { class: 'sidebar-head' }, hide, h('h2', {}, 'Projects'), add),
    h('div', { class: 'filter-box' }, filter, h('kbd', { 'aria-hidden': true }, `${commandKey()}K`)),
    nav,
    options.footer,
  );
  const keys = createSidebarKeys(list, () => filter.focus());

  filter.addEventListener('input', () => actions.setFilter(filter.value));
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') keys.focusFirst();
    else if (event.key === 'Enter') list.querySelector<HTMLElement>('.session [data-row]')?.click();
    else if (event.key === 'Escape' && filter.value !== '') actions.setFilter('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function announceMatches(state: ShellState, count: number): void {
    if (state.filter.trim() === '') announcer.say('');
    else announcer.say(count === 1 ? '1 session matches' : `${count} sessions match`);
  }

  let filtered = '';
  return {
    element,
    render(state) {
      const matches = matchingProjects(state);
      const now = options.now();
      for (const id of groups.keys()) if (!state.projects?.some((project) => project.id === id)) groups.delete(id);
      keys.during(() => {
        const shown = matches.map((match) => {
          const group =
            groups.get(match.project.id) ?? createProjectGroup(match.project, { ...options, openTrustMenu });
          groups.set(match.project.id, group);
          group.render(match, state, now);
          return group.element;
        });
        placeChildren(list, shown);
      });
      setText(nothing, emptyText(state, matches.length));
      nothing.hidden = nothing.textContent === '';
      if (filter.value !== state.filter) filter.value = state.filter;
      if (filtered !== state.filter) announceMatches(state, matches.flatMap(({ sessions }) => sessions).length);
      filtered = state.filter;
    },
    focusFilter() {
      filter.focus();
      filter.select();
    },
    focusProject(projectId) {
      list.querySelector<HTMLElement>(`[data-row="${projectId}"]`)?.focus();
    },
  };
}

function emptyText(state: ShellState, shown: number): string {
  if (state.projects === null || shown > 0) return '';
  return state.projects.length === 0
    ? 'No projects yet. Add a directory you work in.'
    : `Nothing matches “${state.filter}”.`;
}
