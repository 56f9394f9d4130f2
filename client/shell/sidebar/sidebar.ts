import type { SessionId } from '../../../shared/ids.ts';
import type { Announcer } from '../../shared/announcer.ts';
import { h, placeChildren, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { commandKey } from '../../shared/shortcuts.ts';
import type { Actions } from '../state/actions.ts';
import { matchingProjects, type ProjectMatch } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { createProjectGroup, type ProjectGroup } from './project-group.ts';
import { createSessionMenu } from './session-menu.ts';
import { createShownProjects } from './shown-projects.ts';
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
  /** Focuses the row of a session if nothing else has the focus. */
  focusSession(sessionId: SessionId): void;
}

export function createSidebar(options: SidebarOptions): Sidebar {
  const { actions, announcer } = options;
  /** Of the projects that are drawn, in this order. */
  const groups = new Map<string, ProjectGroup>();
  const shown = createShownProjects();
  const openTrustMenu = createTrustMenu(actions);
  const openSessionMenu = createSessionMenu(actions.sessions);

  const groupOptions = { ...options, openTrustMenu, openSessionMenu };

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
  const more = h('button', {
    type: 'button',
    class: 'row row-more',
    'data-row': 'more-projects',
    tabindex: -1,
    on: { click: showMore },
  });
  const moreItem = h('li', { class: 'more-projects' }, more);
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
  const keys = createSidebarKeys(list, { onLeaveUp: () => filter.focus(), onUndo: actions.sessions.undoArchive });

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

  /** Draws the groups of these projects and forgets the others. */
  function drawGroups(matches: readonly ProjectMatch[], state: ShellState): HTMLElement[] {
    const now = options.now();
    const known = new Map(groups);
    groups.clear();
    return matches.map((match) => {
      const group = known.get(match.project.id) ?? createProjectGroup(match.project, groupOptions);
      groups.set(match.project.id, group);
      group.render(match, state, now);
      return group.element;
    });
  }

  function draw(state: ShellState, matches: readonly ProjectMatch[]): void {
    const open = new Set(state.tabs.order.map((id) => state.sessions.get(id)?.projectId));
    const isStarting = new Set(state.starting.map(({ projectId }) => projectId));
    const visible = shown.of(matches, ({ project: { id } }) => open.has(id) || isStarting.has(id));
    const left = matches.length - visible.length;
    setText(more, `Show more projects (${left.toLocaleString('en')} more)`);
    keys.during(() => placeChildren(list, [...drawGroups(visible, state), ...(left === 0 ? [] : [moreItem])]));
  }

  /** The focus goes on to the first project that was added. */
  function showMore(): void {
    const before = new Set(groups.keys());
    shown.showMore();
    if (drawn !== undefined) draw(drawn, matchingProjects(drawn));
    const first = [...groups].find(([id]) => !before.has(id));
    first?.[1].element.querySelector<HTMLElement>('[data-row]')?.focus();
  }

  let filtered = '';
  let drawn: ShellState | undefined;
  return {
    element,
    render(state) {
      const matches = matchingProjects(state);
      drawn = state;
      if (filtered !== state.filter) shown.reset();
      draw(state, matches);
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
      shown.reveal(projectId);
      if (drawn !== undefined) draw(drawn, matchingProjects(drawn));
      list.querySelector<HTMLElement>(`[data-row="${projectId}"]`)?.focus();
    },
    focusSession(sessionId) {
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (isFree) list.querySelector<HTMLElement>(`[data-row="${sessionId}"]`)?.focus();
    },
  };
}

function emptyText(state: ShellState, shown: number): string {
  if (state.projects === null || shown > 0) return '';
  return state.projects.length === 0
    ? 'No projects yet. Add a directory you work in.'
    : `Nothing matches “${state.filter}”.`;
}
