import type { SessionId } from '../../../shared/ids.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { Actions } from '../state/actions.ts';
import type { Announcer } from '../../shared/announcer.ts';
import { icon } from '../../shared/icons.ts';
import { createMenu } from '../widgets/menu.ts';
import { agentLabel, currentProject, signOf, signWords } from '../state/selectors.ts';
import { drawMark, drawSign } from '../signs.ts';
import type { ShellState } from '../state/store.ts';
import { createTabStrip } from './tab-strip.ts';

export interface TabBarOptions {
  readonly actions: Actions;
  readonly announcer: Announcer;
  readonly onClose: (sessionId: SessionId) => void;
  readonly pickAgent: (anchor: HTMLElement, projectId: string) => void;
  readonly toggleSidebar: HTMLElement;
  readonly connection: HTMLElement;
}

/** The bar above the conversation: open sessions, a menu of all of them where they do not fit, and a new one. */
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
      const words = signWords[signOf(shown, id)];
      return {
        id,
        label: session?.title ?? id,
        mark: drawMark(session?.cliType ?? ''),
        checked: id === shown.tabs.active,
        ...(words === '' ? {} : { note: words }),
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

  /** A session that was asked for has no tab yet: the button it was asked with shows that it comes. */
  function showStarting(next: ShellState): void {
    const [before, now] = [state?.starting.length ?? 0, next.starting.length];
    if (before === now) return;
    create.replaceChildren(now > 0 ? drawSign('running') : icon('add'));
    setAttribute(create, 'aria-busy', now > 0 ? true : null);
    const newest = next.starting.at(-1);
    if (newest !== undefined && now > before) announcer.say(`Starting ${agentLabel(next, newest.cliType)}`);
  }

  /** Whether all tabs fit is known only after layout, and changes with the window. */
  function measure(): void {
    const isFull = strip.overflows();
    all.hidden = !isFull;
    element.classList.toggle('is-full', isFull);
  }

  return {
    element,
    /** Changes its size with the window and with what is beside it; `onResize` is to be told. */
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
      // Without tabs the empty page has this button.
      create.hidden = project === null || open === 0;
      setAttribute(create, 'title', project === null ? null : `New session in ${project.name}`);
      setText(count, String(open));
      setAttribute(all, 'aria-label', `All ${open} tabs`);
      measure();
    },
  };
}
