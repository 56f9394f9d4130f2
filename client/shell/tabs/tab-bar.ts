import type { SessionId } from '../../../shared/ids.ts';
import type { Announcer } from '../../shared/announcer.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { agentIcon, icon, statusIcon } from '../../shared/icons.ts';
import type { Actions } from '../state/actions.ts';
import { agentLabel, currentProject, describeStatus } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';
import { createMenu } from '../widgets/menu.ts';
import { createTabStrip } from './tab-strip.ts';

export interface TabBarOptions {
  readonly actions: Actions;
  readonly announcer: Announcer;
  readonly onClose: (sessionId: SessionId) => void;
  readonly pickAgent: (anchor: HTMLElement, projectId: string) => void;
  readonly toggleSidebar: HTMLElement;
  readonly connection: HTMLElement;
}

/** The bar above the conversation: the tabs, a menu of all tabs if they do not fit, and a button for a new session. */
export function createTabBar(options: TabBarOptions) {
  const { actions, announcer, pickAgent } = options;
  let state: ShellState | null = null;
  const strip = createTabStrip(options);
  const menu = createMenu({ label: 'All tabs', onChoose: actions.open });

  const create = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon tab-new',
      'aria-label': 'New session',
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
  );
  const count = h('span', {});
  const all = h(
    'button',
    {
      type: 'button',
      class: 'quiet tab-all',
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      on: { click: () => (menu.isOpen() ? menu.close() : openMenu()) },
    },
    count,
    icon('chevronDown'),
  );

  function openMenu(): void {
    const shown = state;
    if (shown === null) return;
    const items = shown.tabs.order.map((id) => {
      const session = shown.sessions.get(id);
      const note = describeStatus(shown, id);
      return {
        id,
        label: session?.title ?? id,
        icon: agentIcon(session?.cliType ?? ''),
        checked: id === shown.tabs.active,
        ...(note === '' ? {} : { note }),
      };
    });
    menu.open(all, items);
  }

  const element = h(
    'div',
    { class: 'tab-bar' },
    options.toggleSidebar,
    strip.element,
    create,
    h('span', { class: 'tab-bar-space' }),
    options.connection,
    all,
  );

  /** A starting session has no tab yet, so the button for a new session shows the progress. */
  function showStarting(next: ShellState): void {
    const [before, now] = [state?.starting.length ?? 0, next.starting.length];
    if (before === now) return;
    create.replaceChildren(now > 0 ? statusIcon('running') : icon('add'));
    setAttribute(create, 'aria-busy', now > 0 ? true : null);
    const newest = next.starting.at(-1);
    if (newest !== undefined && now > before) announcer.say(`Starting ${agentLabel(next, newest.cliType)}`);
  }

  /** Whether all tabs fit is known only after layout and changes with the size of the window. */
  function measure(): void {
    const isFull = strip.overflows();
    all.hidden = !isFull;
    element.classList.toggle('is-full', isFull);
  }

  return {
    element,
    /** Call `onResize` when the size of this element changes. */
    scroll: strip.element,
    onResize(): void {
      measure();
      strip.reveal();
    },
    focusActive: strip.focusActive,
    render(next: ShellState): void {
      showStarting(next);
      state = next;
      strip.render(next);
      const project = currentProject(next);
      const open = next.tabs.order.length;
      // Without tabs, the empty state has this button.
      create.hidden = project === null || open === 0;
      setAttribute(create, 'title', project === null ? null : `New session in ${project.name}`);
      setText(count, String(open));
      setAttribute(all, 'aria-label', `All ${open} tabs`);
      measure();
    },
  };
}
