import type { SessionId } from '../../shared/ids.ts';
import type { Theme } from '../../shared/portlet-messages.ts';
import { createAnnouncer } from '../shared/announcer.ts';
import { h, setPageTitle } from '../shared/dom.ts';
import { createAgentPicker } from './dialogs/agent-picker.ts';
import { createEmptyState } from './placeholders/empty-state.ts';
import { createNoAccess } from './placeholders/no-access.ts';
import type { PortletFrames } from './portlets/portlet-frames.ts';
import type { Api } from './server/api.ts';
import { createSidebar } from './sidebar/sidebar.ts';
import type { SidebarLayout } from './sidebar/sidebar-layout.ts';
import { createStatusBar } from './sidebar/status-bar.ts';
import { createThemeSwitch } from './sidebar/theme-switch.ts';
import type { Actions } from './state/actions.ts';
import type { ShellState, Store } from './state/store.ts';
import { createConnectionChip } from './tabs/connection-chip.ts';
import { createTabBar } from './tabs/tab-bar.ts';

export interface ShellViewOptions {
  readonly root: HTMLElement;
  readonly store: Store;
  readonly api: Pick<Api, 'call'>;
  readonly actions: Actions;
  readonly frames: PortletFrames;
  readonly layout: SidebarLayout;
  readonly now: () => number;
  readonly onTheme: (theme: Theme) => void;
  readonly onProblem: (text: string) => void;
  /** Connects again after another program was met. */
  readonly onTryAgain: () => void;
  /** Elements that float above the page. */
  readonly floating: readonly HTMLElement[];
}

/** Lays out the parts of the page and renders them from the state. */
export function createShellView(options: ShellViewOptions) {
  const { root, store, actions, frames, layout } = options;
  const announcer = createAnnouncer();
  const picker = createAgentPicker(store, actions);
  /** The dialog is loaded when it is needed. */
  async function loadDialog() {
    const { createAddProjectDialog } = await import('./dialogs/add-project-dialog.ts');
    const created = createAddProjectDialog({
      add: actions.addProject,
      onAdded: (project) => sidebar.focusProject(project.id),
      complete: async (prefix, signal) => {
        const outcome = await options.api.call('directory:complete', { prefix }, signal);
        return outcome.ok ? outcome.value.directories : [];
      },
      findUsed: async () => {
        const outcome = await options.api.call('directory:with-sessions', {});
        return outcome.ok ? outcome.value.directories : [];
      },
      now: options.now,
    });
    root.append(created.element);
    return created;
  }

  let dialog: ReturnType<typeof loadDialog> | undefined;
  /** Takes what is typed until the dialog is there. */
  const typeAhead = h('input', { type: 'text', class: 'visually-hidden', 'aria-label': 'Path', tabindex: -1 });
  async function addProject(): Promise<void> {
    dialog ??= loadDialog();
    const before = document.activeElement;
    root.append(typeAhead);
    typeAhead.value = '';
    typeAhead.focus();
    try {
      const { open } = await dialog;
      const typed = typeAhead.value;
      typeAhead.remove();
      // Where the focus goes when the dialog is closed.
      if (before instanceof HTMLElement) before.focus();
      open(typed);
    } catch {
      typeAhead.remove();
      dialog = undefined;
      options.onProblem('The dialog could not be loaded. Check that the server is running, then try again.');
    }
  }

  const themeSwitch = createThemeSwitch(options.onTheme);
  const status = createStatusBar(actions, themeSwitch.element);
  const chip = createConnectionChip(actions.reconnectSocket);
  const sidebar = createSidebar({
    actions,
    announcer,
    pickAgent: picker.pick,
    addProject: () => void addProject(),
    hide: layout.hide,
    now: options.now,
    footer: status.element,
  });
  const tabBar = createTabBar({
    actions,
    announcer,
    onClose: close,
    pickAgent: picker.pick,
    toggleSidebar: layout.toggleButton,
    connection: chip.element,
  });
  const empty = createEmptyState({
    addProject: () => void addProject(),
    pickAgent: picker.pick,
    refreshAgents: actions.refreshAgents,
  });
  const noAccess = createNoAccess(options.onTryAgain);
  const demo = h('header', { class: 'demo' }, 'Demo: real agents, a scripted model. Nothing leaves this machine.');
  const main = h(
    'main',
    { class: 'main' },
    h('h1', { class: 'visually-hidden' }, 'Liminal Builder'),
    tabBar.element,
    frames.element,
    empty.element,
    noAccess.element,
  );

  root.replaceChildren(demo, sidebar.element, layout.scrim, main, announcer.element, ...options.floating);
  sidebar.element.append(layout.resizer);
  layout.attach(sidebar.element, main);

  /** Closes a tab and focuses its neighbour. */
  function close(sessionId: SessionId): void {
    actions.close(sessionId);
    if (store.get().tabs.active === null) empty.focus();
    else tabBar.focusActive();
  }

  function render(state: ShellState): void {
    root.classList.toggle('is-locked', state.access !== 'granted');
    noAccess.render(state.access);
    demo.hidden = !state.demo;
    frames.render(state.tabs);
    for (const id of frames.open()) frames.setTitle(id, state.sessions.get(id)?.title ?? 'Session');
    tabBar.render(state);
    sidebar.render(state);
    status.render(state);
    chip.render(state);
    empty.render(state);
    themeSwitch.render(state.theme);
    setPageTitle(titleOf(state));
  }

  return {
    render,
    close,
    tabBar,
    focusSession: sidebar.focusSession,
    focusFilter(): void {
      layout.show();
      sidebar.focusFilter();
    },
  };
}

function titleOf({ attention, sessions, tabs }: ShellState): string {
  const waiting = attention.size === 0 ? '' : `(${attention.size}) `;
  const title = tabs.active === null ? undefined : sessions.get(tabs.active)?.title;
  return `${waiting}${title === undefined ? '' : `${title} – `}Liminal Builder`;
}
