import type { z } from 'zod';
import type { unreadUpsertSchema } from '../../../shared/events.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { type PortletToShell, portletToShellSchema, type ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { type Bridge, createBridge } from '../../shared/bridge.ts';
import { h, placeChildren, setAttribute } from '../../shared/dom.ts';
import { noTabs, type Tabs } from '../state/tabs.ts';
import { createHeldPanel } from './held-panel.ts';
import type { LoadNotes } from './load-notes.ts';

/** Upserts are passed on as they came; the session page parses them. */
export type ToPortlet = ShellToPortlet | z.infer<typeof unreadUpsertSchema>;

export interface PortletFramesOptions {
  readonly onMessage: (sessionId: SessionId, message: PortletToShell) => void;
  /** The page can receive messages. `again` means that it was reloaded and has lost its state. */
  readonly onReady: (sessionId: SessionId, again: boolean) => void;
  /** The user opened a page that was held back. */
  readonly onRelease: (sessionId: SessionId) => void;
  readonly loads: Pick<LoadNotes, 'isUnfinished' | 'begin' | 'end'>;
  readonly host?: Window;
}

export interface PortletFrames {
  readonly element: HTMLElement;
  /**
   * Shows the page of the active tab, creating it if necessary, and removes the pages of closed tabs. A page whose last
   * load never finished is held back until the user opens it.
   */
  render(tabs: Tabs): void;
  open(): readonly SessionId[];
  /** Delivers messages in order. They are queued until the page is ready, and dropped if there is no page. */
  post(sessionId: SessionId, message: ToPortlet): void;
  setTitle(sessionId: SessionId, title: string): void;
  /** Focuses a page as soon as it is ready: keys typed before that would be lost. */
  focus(sessionId: SessionId): void;
}

interface Frame {
  readonly panel: HTMLElement;
  readonly iframe: HTMLIFrameElement;
  readonly bridge: Bridge<ToPortlet>;
  /** Messages for a page that is not ready yet; null once it is. */
  queue: ToPortlet[] | null;
  /** The element that had the focus when this page was asked to take it; null unless that is pending. */
  focusFrom: Element | null;
}

export const panelId = (sessionId: SessionId): string => `panel-${sessionId}`;
export const tabId = (sessionId: SessionId): string => `tab-${sessionId}`;

export function createPortletFrames(options: PortletFramesOptions): PortletFrames {
  const { onMessage, onReady, onRelease, loads, host = window } = options;
  const element = h('div', { class: 'panels' });
  const frames = new Map<SessionId, Frame>();
  /** Panels that stand in for pages that are held back. */
  const held = new Map<SessionId, HTMLElement>();
  let shown: SessionId | null = null;
  let current: Tabs = noTabs;

  const panelAttributes = (sessionId: SessionId) => ({
    role: 'tabpanel',
    id: panelId(sessionId),
    'aria-labelledby': tabId(sessionId),
  });

  function open(sessionId: SessionId): void {
    if (!loads.isUnfinished(sessionId)) {
      create(sessionId);
      return;
    }
    const panel = createHeldPanel(panelAttributes(sessionId), () => release(sessionId));
    held.set(sessionId, panel);
  }

  function release(sessionId: SessionId): void {
    held.delete(sessionId);
    create(sessionId);
    render(current);
    onRelease(sessionId);
    focus(sessionId);
  }

  function create(sessionId: SessionId): void {
    loads.begin(sessionId);
    const iframe = h('iframe', { src: `/portlet/index.html?sessionId=${encodeURIComponent(sessionId)}` });
    const panel = h('div', { class: 'panel', ...panelAttributes(sessionId), hidden: true }, iframe);
    const bridge = createBridge<PortletToShell, ToPortlet>({
      target: () => iframe.contentWindow,
      accept: portletToShellSchema,
      host,
      onMessage: (message) => receive(sessionId, message),
    });
    const frame: Frame = { panel, iframe, bridge, queue: [], focusFrom: null };
    frames.set(sessionId, frame);
    element.append(panel);
  }

  function receive(sessionId: SessionId, message: PortletToShell): void {
    const frame = frames.get(sessionId);
    if (frame === undefined) return;
    if (message.type === 'portlet:drawn') {
      loads.end(sessionId);
      return;
    }
    if (message.type !== 'portlet:ready') {
      onMessage(sessionId, message);
      return;
    }
    const queued = frame.queue;
    frame.queue = null;
    frame.panel.classList.add('is-ready');
    onReady(sessionId, queued === null);
    for (const message of queued ?? []) frame.bridge.post(message);
    // Do not steal the focus if it has moved in the meantime. It falls back to the body when its element is removed.
    const { activeElement, body } = host.document;
    if (frame.focusFrom !== null && [frame.focusFrom, body].includes(activeElement ?? body)) giveFocus(frame);
  }

  function giveFocus(frame: Frame): void {
    frame.focusFrom = null;
    frame.iframe.focus();
    frame.bridge.post({ type: 'portlet:focus' });
  }

  function post(sessionId: SessionId, message: ToPortlet): void {
    const frame = frames.get(sessionId);
    if (frame?.queue) frame.queue.push(message);
    else frame?.bridge.post(message);
  }

  function removeClosed(order: readonly SessionId[]): void {
    for (const [sessionId, frame] of frames) {
      if (order.includes(sessionId)) continue;
      frame.bridge.dispose();
      frames.delete(sessionId);
      loads.end(sessionId);
    }
    for (const sessionId of held.keys()) if (!order.includes(sessionId)) held.delete(sessionId);
  }

  function render(tabs: Tabs): void {
    current = tabs;
    const { order, active } = tabs;
    removeClosed(order);
    if (active !== null && !frames.has(active) && !held.has(active)) open(active);
    const panels = [...[...frames].map(([id, { panel }]) => [id, panel] as const), ...held];
    placeChildren(
      element,
      panels.map(([, panel]) => panel),
    );
    for (const [sessionId, panel] of panels) panel.hidden = sessionId !== active;
    // Otherwise it would cover the empty state.
    element.hidden = active === null;
    if (active !== null && active !== shown) post(active, { type: 'portlet:shown' });
    shown = active;
  }

  function focus(sessionId: SessionId): void {
    const frame = frames.get(sessionId);
    if (frame?.queue) frame.focusFrom = host.document.activeElement;
    else if (frame) giveFocus(frame);
  }

  return {
    element,
    post,
    open: () => [...frames.keys()],
    render,
    setTitle(sessionId, title) {
      const frame = frames.get(sessionId);
      if (frame !== undefined) setAttribute(frame.iframe, 'title', title);
    },
    focus,
  };
}
