import { z } from 'zod';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { commandKey } from '../../shared/shortcuts.ts';
import { createStored } from '../../shared/storage.ts';
import { clampWidth, createResizer, DEFAULT_WIDTH } from './resizer.ts';

const layoutSchema = z.object({ width: z.number().transform(clampWidth), hidden: z.boolean() });

export interface SidebarLayoutOptions {
  readonly root: HTMLElement;
  readonly storage: Storage;
  /** Matches when the window is too narrow for a sidebar: then it is a drawer over the conversation. */
  readonly narrow: Pick<MediaQueryList, 'matches' | 'addEventListener'>;
}

/** Shows the sidebar beside the conversation or as a drawer over it, or hides it. */
export function createSidebarLayout({ root, storage, narrow }: SidebarLayoutOptions) {
  const stored = createStored(storage, 'liminal:sidebar', layoutSchema, { width: DEFAULT_WIDTH, hidden: false });
  let layout = stored.read();
  let drawerOpen = false;
  let sidebar: HTMLElement | null = null;
  let main: HTMLElement | null = null;

  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'quiet icon show-sidebar',
      'aria-label': 'Show sidebar',
      title: `Show sidebar (${commandKey()}B)`,
      on: { click: () => show() },
    },
    icon('sidebar'),
  );
  const scrim = h('div', { class: 'scrim', on: { click: () => hide() } });
  const resizer = createResizer((width) => change({ ...layout, width }));

  const isShown = (): boolean => (narrow.matches ? drawerOpen : !layout.hidden);

  function render(): void {
    const isDrawer = narrow.matches;
    root.style.setProperty('--sidebar-width', `${layout.width}px`);
    root.classList.toggle('has-drawer', isDrawer && drawerOpen);
    if (sidebar !== null) sidebar.hidden = !isShown();
    resizer.element.hidden = isDrawer || !isShown();
    resizer.render(layout.width);
    scrim.hidden = !(isDrawer && drawerOpen);
    toggle.hidden = isShown();
    // Nothing behind an open drawer can be reached.
    if (main !== null) main.inert = isDrawer && drawerOpen;
  }

  function change(next: typeof layout): void {
    layout = next;
    stored.write(layout);
    render();
  }

  function show(): void {
    if (isShown()) return;
    if (narrow.matches) drawerOpen = true;
    else layout = { ...layout, hidden: false };
    change(layout);
    sidebar?.querySelector<HTMLElement>('.sidebar-head button')?.focus();
  }

  function hide(): void {
    if (!isShown()) return;
    const held = sidebar?.contains(document.activeElement) === true;
    if (narrow.matches) drawerOpen = false;
    else layout = { ...layout, hidden: true };
    change(layout);
    if (held) toggle.focus();
  }

  return {
    toggleButton: toggle,
    scrim,
    resizer: resizer.element,
    show,
    hide,
    toggle: () => (isShown() ? hide() : show()),
    /** Returns whether a drawer was open. */
    closeDrawer(): boolean {
      const wasOpen = drawerOpen && narrow.matches;
      if (wasOpen) hide();
      return wasOpen;
    },
    attach(newSidebar: HTMLElement, newMain: HTMLElement): void {
      sidebar = newSidebar;
      main = newMain;
      narrow.addEventListener('change', () => {
        drawerOpen = false;
        render();
      });
      render();
    },
  };
}

export type SidebarLayout = ReturnType<typeof createSidebarLayout>;
