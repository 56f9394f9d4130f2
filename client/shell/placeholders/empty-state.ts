import { h, placeChildren, setText } from '../../shared/dom.ts';
import { agentIcon, icon, statusIcon } from '../../shared/icons.ts';
import { commandKey } from '../../shared/shortcuts.ts';
import { agentLabel, currentProject } from '../state/selectors.ts';
import { sessionsOf } from '../state/sessions-of.ts';
import type { ShellState } from '../state/store.ts';

export interface EmptyStateOptions {
  readonly addProject: () => void;
  readonly pickAgent: (anchor: HTMLElement, projectId: string) => void;
  /** Checks again which agents are available. */
  readonly refreshAgents: () => Promise<void>;
}

type Situation = 'waiting' | 'no-project' | 'no-session' | 'no-tab' | 'no-agent' | 'starting' | 'has-tabs';

const CHECK = 'Check again';

/** Shown while no tab is open: what to do next, and how. */
export function createEmptyState({ addProject, pickAgent, refreshAgents }: EmptyStateOptions) {
  let state: ShellState | null = null;
  let drawn = '';
  const element = h('div', { class: 'empty' });
  const create = h(
    'button',
    {
      type: 'button',
      class: 'primary',
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      on: {
        click: () => {
          const project = state && currentProject(state);
          if (project) pickAgent(create, project.id);
        },
      },
    },
    icon('add'),
    'New session',
  );
  const choose = h(
    'button',
    { type: 'button', class: 'primary', on: { click: addProject } },
    icon('folder'),
    'Choose a directory',
  );

  const check = h('button', { type: 'button', class: 'primary', on: { click: () => void checkAgents() } }, CHECK);

  async function checkAgents(): Promise<void> {
    setText(check, 'Checking…');
    await refreshAgents();
    setText(check, CHECK);
  }

  function content(situation: Situation, next: ShellState): Node[] {
    const project = currentProject(next)?.name ?? '';
    switch (situation) {
      case 'waiting':
      case 'has-tabs':
        return [];
      case 'no-project':
        return [
          h('h2', {}, 'Start with a project'),
          h(
            'ol',
            { class: 'steps' },
            h('li', {}, 'Choose a directory you work in.'),
            h('li', {}, `Start a session there with ${listOf(next)}.`),
            h('li', {}, 'Say what you want. The answer streams in here.'),
          ),
          choose,
        ];
      case 'no-agent':
        return [
          h('h2', {}, 'No agent is ready'),
          h('p', {}, 'Set one up, then start a session.'),
          missing(next),
          check,
        ];
      case 'starting':
        return [
          h('h2', {}, statusIcon('running'), `Starting ${agentLabel(next, next.starting.at(-1)?.cliType ?? '')}…`),
          h('p', {}, 'The session opens here as soon as the agent is ready.'),
          create,
          keys(),
        ];
      case 'no-session':
        return [
          h('h2', {}, `Nothing in ${project} yet`),
          h('p', {}, 'Start a session with an agent. It works in this directory and opens in a tab here.'),
          create,
          keys(),
        ];
      case 'no-tab':
        return [
          h('h2', {}, 'No session is open'),
          h('p', {}, `Choose one in the sidebar, or start a new one in ${project}.`),
          create,
          keys(),
        ];
    }
  }

  return {
    element,
    render(next: ShellState): void {
      state = next;
      const situation = situationOf(next);
      element.hidden = situation === 'has-tabs';
      const key = JSON.stringify([situation, currentProject(next)?.name, next.providers, next.starting]);
      if (key === drawn) return;
      drawn = key;
      placeChildren(element, content(situation, next));
    },
    focus(): void {
      element.querySelector('button')?.focus();
    },
  };
}

function situationOf(state: ShellState): Situation {
  if (state.tabs.order.length > 0) return 'has-tabs';
  if (state.projects === null) return 'waiting';
  const project = currentProject(state);
  if (project === null) return 'no-project';
  if (state.starting.length > 0) return 'starting';
  if (state.providers?.length && !state.providers.some(({ available }) => available)) return 'no-agent';
  return sessionsOf(state, project.id).length === 0 ? 'no-session' : 'no-tab';
}

/** For example "Claude Code, Codex, or Aider". */
function listOf(state: ShellState): string {
  const labels = (state.providers ?? []).map(({ label }) => label);
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(labels) || 'an agent';
}

function missing(state: ShellState): HTMLElement {
  const items = (state.providers ?? []).map(({ cliType, label, reason }) =>
    h(
      'div',
      { class: 'missing' },
      h('dt', {}, agentIcon(cliType), label),
      h('dd', {}, reason ?? 'Not available on this machine.'),
    ),
  );
  return h('dl', {}, ...items);
}

function keys(): HTMLElement {
  const rows: [string, string][] = [
    [`${commandKey()}K`, 'find a session'],
    ['Alt 1 … 9', 'go to a tab'],
    [`${commandKey()}B`, 'show or hide the sidebar'],
  ];
  return h(
    'dl',
    { class: 'keys' },
    ...rows.map(([key, action]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, action))),
  );
}
