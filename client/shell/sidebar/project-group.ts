import type { Project, SessionListItem } from '../../../shared/entities.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon, statusIcon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel, type ProjectMatch } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { createArchivedList } from './archived-list.ts';
import { createRunsFold } from './runs-fold.ts';
import { createSessionList } from './session-list.ts';
import type { OpenSessionMenu } from './session-menu.ts';
import { createTrustSign, type OpenTrustMenu } from './trust-sign.ts';

export interface ProjectGroupOptions {
  readonly actions: Actions;
  readonly pickAgent: (anchor: HTMLElement, projectId: string) => void;
  readonly openTrustMenu: OpenTrustMenu;
  readonly openSessionMenu: OpenSessionMenu;
}

export interface ProjectGroup {
  readonly element: HTMLElement;
  render(match: ProjectMatch, state: ShellState, now: number): void;
}

export function createProjectGroup(
  project: Project,
  { actions, pickAgent, openTrustMenu, openSessionMenu }: ProjectGroupOptions,
): ProjectGroup {
  const listId = `sessions-${project.id}`;
  let isCollapsed = false;

  const number = h('span', {});
  const unit = h('span', { class: 'visually-hidden' });
  const count = h('span', { class: 'project-count' }, number, unit);
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'row project-row',
      title: project.path,
      'data-row': project.id,
      'aria-controls': listId,
      tabindex: -1,
      on: { click: () => actions.toggleCollapsed(project.id, !isCollapsed) },
    },
    icon('chevronRight'),
    h('span', { class: 'row-title' }, project.name),
    count,
  );
  const create = h(
    'button',
    {
      type: 'button',
      class: 'quiet project-new',
      'aria-label': `New session in ${project.name}`,
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      title: `New session in ${project.name}`,
      'data-action': 'create',
      tabindex: -1,
      on: { click: () => pickAgent(create, project.id) },
    },
    icon('add'),
    'New',
  );
  const remove = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon row-action',
      'aria-label': `Remove ${project.name}`,
      title: `Remove ${project.name} from the list (Delete)`,
      'data-action': 'remove',
      tabindex: -1,
      on: { click: () => void actions.removeProject(project.id) },
    },
    icon('remove'),
  );
  const trust = createTrustSign(openTrustMenu);
  const list = h('ul', { id: listId, 'aria-label': `Sessions in ${project.name}` });
  const none = h('li', { class: 'project-none' }, 'No sessions yet. Start one with New.');
  const listed = createSessionList({ key: project.id, list, actions, openSessionMenu });
  const runs = createRunsFold(project, actions, openSessionMenu);
  const archived = createArchivedList(project, actions, openSessionMenu);
  const body = h('div', {}, list, runs.element, archived.element);
  const element = h(
    'li',
    { class: 'project' },
    h('div', { class: 'project-head' }, toggle, trust.element, remove, create),
    body,
  );

  return {
    element,
    render({ project: current, sessions }, state, now) {
      trust.render(current);
      const filtering = state.filter.trim() !== '';
      isCollapsed = !filtering && state.collapsed[project.id] === true;
      setAttribute(toggle, 'aria-expanded', !isCollapsed);
      body.hidden = isCollapsed;
      setText(number, String(sessions.length));
      setText(unit, sessions.length === 1 ? ' session' : ' sessions');
      count.hidden = !isCollapsed || sessions.length === 0;
      element.classList.toggle('is-collapsed', isCollapsed);

      const starting = state.starting.filter(({ projectId }) => projectId === project.id);
      const first = starting.map(({ cliType }) => startingRow(cliType, agentLabel(state, cliType)));
      const folded = sessions.filter(isFolded);
      const others = folded.length === 0 ? sessions : sessions.filter((session) => !isFolded(session));
      listed.render(others, state, now, { first, none: folded.length === 0 ? none : undefined });
      runs.render(folded, state, filtering, now);
      archived.render(state, filtering, now);
    },
  };
}

/** A run that was pinned stands among the conversations. */
const isFolded = ({ run, pinned }: SessionListItem): boolean => run === true && !pinned;

function startingRow(cliType: string, label: string): HTMLElement {
  return h(
    'li',
    { class: 'session session-starting', role: 'listitem' },
    h('span', { class: 'row-status' }, statusIcon('running')),
    agentIcon(cliType),
    h('span', { class: 'row-title' }, `Starting ${label}…`),
  );
}
