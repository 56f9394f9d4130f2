import type { SessionId } from '../../../shared/ids.ts';
import type { Announcer } from '../../shared/announcer.ts';
import { h, placeChildren, setAttribute } from '../../shared/dom.ts';
import { tabId } from '../portlets/portlet-frames.ts';
import type { Actions } from '../state/actions.ts';
import type { ShellState } from '../state/store.ts';
import { keepFocus } from '../widgets/keep-focus.ts';
import { createTab, type Tab } from './tab.ts';
import { enableTabDrag } from './tab-drag.ts';

export interface TabStripOptions {
  readonly actions: Actions;
  readonly announcer: Announcer;
  readonly onClose: (sessionId: SessionId) => void;
}

export interface TabStrip {
  readonly element: HTMLElement;
  render(state: ShellState): void;
  focusActive(): void;
  overflows(): boolean;
  /** Scrolls the active tab into view. */
  reveal(): void;
}

export function createTabStrip({ actions, announcer, onClose }: TabStripOptions): TabStrip {
  const tabs = new Map<SessionId, Tab>();
  // Owns the tabs, but not their close buttons: a tab list may only contain tabs.
  const owner = h('div', { role: 'tablist', 'aria-label': 'Open sessions' });
  const strip = h('div', { class: 'tab-strip' });
  const element = h('div', { class: 'tab-scroll' }, owner, strip);
  let state: ShellState | null = null;
  let shown: SessionId | null = null;

  enableTabDrag(strip, actions.move);

  function moveBy(sessionId: SessionId, step: number): void {
    const order = state?.tabs.order ?? [];
    const place = order.indexOf(sessionId) + step;
    if (place < 0 || place >= order.length) return;
    actions.move(sessionId, place);
    announcer.say(`Moved to position ${place + 1} of ${order.length}`);
  }

  function goTo(sessionId: SessionId | undefined): void {
    if (sessionId === undefined) return;
    actions.show(sessionId);
    tabs.get(sessionId)?.tab.focus();
  }

  function onKey(event: KeyboardEvent): boolean {
    const order = state?.tabs.order ?? [];
    const box = (event.target as Element).closest<HTMLElement>('.tab-box');
    const sessionId = box?.dataset.session;
    if (sessionId === undefined || event.altKey) return false;
    const at = order.indexOf(sessionId);
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (step !== 0 && event.shiftKey && (event.ctrlKey || event.metaKey)) moveBy(sessionId, step);
    else if (step !== 0 && isPlain) goTo(order[(at + step + order.length) % order.length]);
    else if (event.key === 'Home' && isPlain) goTo(order[0]);
    else if (event.key === 'End' && isPlain) goTo(order.at(-1));
    else if (event.key === 'Delete' && isPlain) onClose(sessionId);
    else return false;
    return true;
  }

  function reveal(): void {
    if (shown !== null) tabs.get(shown)?.element.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }

  strip.addEventListener('keydown', (event) => {
    if (onKey(event)) event.preventDefault();
  });
  // A vertical wheel scrolls the strip horizontally.
  element.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaX === 0) element.scrollLeft += event.deltaY;
    },
    { passive: true },
  );

  return {
    element,
    reveal,
    overflows: () => element.scrollWidth > element.clientWidth,
    focusActive: () => (shown === null ? undefined : tabs.get(shown)?.tab.focus()),
    render(next) {
      state = next;
      const { order, active } = next.tabs;
      for (const id of tabs.keys()) if (!order.includes(id)) tabs.delete(id);
      const current = order.map((id) => {
        const tab = tabs.get(id) ?? createTab(id, actions, onClose);
        tabs.set(id, tab);
        tab.render(next);
        return tab;
      });
      const boxes = current.map((tab) => tab.element);
      keepFocus(
        strip,
        () => current.map(({ tab }) => tab),
        () => placeChildren(strip, boxes),
      );
      setAttribute(owner, 'aria-owns', order.length === 0 ? null : order.map(tabId).join(' '));
      element.hidden = order.length === 0;
      const isNew = active !== shown;
      shown = active;
      if (isNew) reveal();
    },
  };
}
