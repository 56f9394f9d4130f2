import type { SessionId } from '../../../shared/ids.ts';
import { type PortletToShell, portletToShellSchema, type ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { type Bridge, createBridge } from '../../shared/bridge.ts';
import { h, placeChildren } from '../../shared/dom.ts';
import type { Tabs } from '../state/tabs.ts';

/** Frames of the conversation are passed on as they came; the session page parses them. */
export type ToPortlet =
  | ShellToPortlet
  | { readonly type: 'session:upsert' | 'session:turn'; readonly payload: unknown }
  | { readonly type: 'session:history'; readonly entries: readonly unknown[]; readonly turns: readonly unknown[] };

export interface PortletFramesOptions {
  readonly onMessage: (sessionId: SessionId, message: PortletToShell) => void;
  /** The page can receive. `again`: it was loaded anew and has lost what it had. */
  readonly onReady: (sessionId: SessionId, again: boolean) => void;
  readonly host?: Window;
}

export interface PortletFrames {
  readonly element: HTMLElement;
  /** Shows the page of the active tab, makes it where it was never shown, and removes those of closed tabs. */
  render(tabs: Tabs): void;
  open(): readonly SessionId[];
  /** Delivers in order. What comes before the page is ready waits for it; without a page it is dropped. */
  post(sessionId: SessionId, message: ToPortlet): void;
  setTitle(sessionId: SessionId, title: string): void;
  /** Gives a page the focus, once it is ready: until then its keys would be lost. */
  focus(sessionId: SessionId): void;
}

interface Frame {
  readonly panel: HTMLElement;
  readonly iframe: HTMLIFrameElement;
  readonly bridge: Bridge<ToPortlet>;
  waiting: ToPortlet[] | null;
  /** What had the focus when the page should have got it; null when it need not get it. */
  focusFrom: Element | null;
}

export const panelId = (sessionId: SessionId): string => `panel-${sessionId}`;
export const tabId = (sessionId: SessionId): string => `tab-${sessionId}`;

export function createPortletFrames({ onMessage, onReady, host = window }: PortletFramesOptions): PortletFrames {
  const element = h('div', { class: 'panels' });
  const frames = new Map<SessionId, Frame>();
  let shown: SessionId | null = null;

  function create(sessionId: SessionId): Frame {
    const iframe = h('iframe', { src: `/portlet/index.html?sessionId=${encodeURIComponent(sessionId)}` });
    const panel = h(
      'div',
      { class: 'panel', role: 'tabpanel', id: panelId(sessionId), 'aria-labelledby': tabId(sessionId), hidden: true },
      iframe,
    );
    const bridge = createBridge<PortletToShell, ToPortlet>({
      target: () => iframe.contentWindow,
      accept: portletToShellSchema,
      host,
      onMessage: (message) => receive(sessionId, message),
    });
    const frame: Frame = { panel, iframe, bridge, waiting: [], focusFrom: null };
    frames.set(sessionId, frame);
    element.append(panel);
    return frame;
  }

  function receive(sessionId: SessionId, message: PortletToShell): void {
    const frame = frames.get(sessionId);
    if (frame === undefined) return;
    if (message.type !== 'portlet:ready') {
      onMessage(sessionId, message);
      return;
    }
    const missed = frame.waiting;
    frame.waiting = null;
    frame.panel.classList.add('is-ready');
    onReady(sessionId, missed === null);
    for (const waited of missed ?? []) frame.bridge.post(waited);
    // Not from someone who has gone elsewhere meanwhile. The body has it when what had it is gone.
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
    if (frame?.waiting) frame.waiting.push(message);
    else frame?.bridge.post(message);
  }

  return {
    element,
    post,
    open: () => [...frames.keys()],
    render({ order, active }) {
      for (const [sessionId, frame] of frames) {
        if (order.includes(sessionId)) continue;
        frame.bridge.dispose();
        frames.delete(sessionId);
      }
      if (active !== null && !frames.has(active)) create(active);
      placeChildren(
        element,
        [...frames.values()].map(({ panel }) => panel),
      );
      for (const [sessionId, { panel }] of frames) panel.hidden = sessionId !== active;
      // It would lie over what is shown instead.
      element.hidden = active === null;
      if (active !== null && active !== shown) post(active, { type: 'portlet:shown' });
      shown = active;
    },
    setTitle(sessionId, title) {
      const frame = frames.get(sessionId);
      if (frame !== undefined && frame.iframe.title !== title) frame.iframe.title = title;
    },
    focus(sessionId) {
      const frame = frames.get(sessionId);
      if (frame?.waiting) frame.focusFrom = host.document.activeElement;
      else if (frame) giveFocus(frame);
    },
  };
}
