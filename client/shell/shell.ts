import { z } from 'zod';
import type { Theme } from '../../shared/portlet-messages.ts';
import type { ShellKey } from '../shared/shortcuts.ts';
import { createStored } from '../shared/storage.ts';
import { applyTheme, readTheme, storeTheme } from '../shared/theme.ts';
import type { Timers } from '../shared/timers.ts';
import { listenToWindow } from './listen-to-window.ts';
import { createLoadNotes } from './portlets/load-notes.ts';
import { createPortletFrames } from './portlets/portlet-frames.ts';
import { createPortletRequests } from './portlets/portlet-requests.ts';
import { createPortletState } from './portlets/portlet-state.ts';
import { createApi } from './server/api.ts';
import { createSocket } from './server/socket.ts';
import { createSubscriptions } from './server/subscriptions.ts';
import { takeToken } from './server/token.ts';
import { createServerSync } from './server-sync.ts';
import { createShellView } from './shell-view.ts';
import { createSidebarLayout } from './sidebar/sidebar-layout.ts';
import { createActions } from './state/actions.ts';
import { seen } from './state/changes.ts';
import { createStore, initialState } from './state/store.ts';
import { createTabMemory, noTabs } from './state/tabs.ts';
import { createConfirmDialog } from './widgets/confirm-dialog.ts';
import { createNotices } from './widgets/notices.ts';

const CLOCK_TICK_MS = 30_000;

export interface ShellDeps {
  readonly root: HTMLElement;
  readonly window: Window;
  /** Shared by all windows of the browser. */
  readonly storage: Storage;
  /** Belongs to this window only. */
  readonly windowStorage: Storage;
  readonly fetch: typeof globalThis.fetch;
  readonly connect: () => WebSocket;
  readonly timers: Timers;
  readonly now: () => number;
  readonly narrow: Pick<MediaQueryList, 'matches' | 'addEventListener'>;
  readonly observeSize: (element: Element, onChange: () => void) => void;
}

/** Composes and starts the shell. The returned function stops it and cleans up. */
export function startShell(deps: ShellDeps): () => void {
  const { root, window, storage, timers } = deps;
  const { document } = window;
  const tabMemory = createTabMemory(deps.windowStorage, storage);
  const collapsed = createStored(storage, 'liminal:collapsed', z.record(z.string(), z.boolean()), {});
  const store = createStore({
    ...initialState,
    tabs: tabMemory.read(),
    collapsed: collapsed.read(),
    theme: readTheme(storage),
  });

  let token: string | null = null;
  const api = createApi({ fetch: deps.fetch, token: () => token, onUnauthorized: lock });
  const socket = createSocket({
    connect: deps.connect,
    timers,
    onFrame: (frame) => sync.onFrame(frame),
    onState: (state) => sync.onState(state),
    onUnauthorized: lock,
  });
  const subscriptions = createSubscriptions(socket);
  const notices = createNotices(timers);
  const confirm = createConfirmDialog();
  const layout = createSidebarLayout({ root, storage, narrow: deps.narrow });
  const actions = createActions({
    store,
    api,
    socket,
    notices,
    confirm: confirm.ask,
    onChosen: (sessionId) => {
      layout.closeDrawer();
      frames.focus(sessionId);
    },
  });
  const requests = createPortletRequests({
    api,
    socket,
    post: (sessionId, message) => frames.post(sessionId, message),
    onReload: subscriptions.resubscribe,
    onKey: (key) => press(key, true),
  });
  const loads = createLoadNotes({ ofWindow: deps.windowStorage, ofBrowser: storage, now: deps.now });
  const frames = createPortletFrames({
    host: window,
    loads,
    onRelease: (sessionId) => {
      portletState.update(store.get(), frames.open());
      subscriptions.subscribe(sessionId);
    },
    onMessage: requests,
    onReady: (sessionId, again) => {
      if (again) {
        portletState.forget(sessionId);
        portletState.update(store.get(), frames.open());
        subscriptions.resubscribe(sessionId);
      }
    },
  });
  const portletState = createPortletState(frames.post);
  const sync = createServerSync({
    store,
    request: socket.request,
    subscriptions,
    frames,
    notices,
    refreshAgents: actions.refreshAgents,
  });
  const view = createShellView({
    root,
    store,
    api,
    actions,
    frames,
    layout,
    now: deps.now,
    onTheme: chooseTheme,
    floating: [confirm.element, notices.element],
  });

  function markSeen(): void {
    const { active } = store.get().tabs;
    if (active !== null && document.visibilityState === 'visible') store.update(seen(active));
  }

  function lock(): void {
    token = null;
    socket.stop();
    store.update((state) => ({ ...state, authorized: false, connection: 'disconnected' }));
  }

  function unlock(): void {
    token = takeToken({ location: window.location, history: window.history, storage });
    if (token === null) {
      lock();
      return;
    }
    store.update((state) => ({ ...state, authorized: true }));
    socket.start(token);
  }

  function chooseTheme(theme: Theme): void {
    storeTheme(storage, theme);
    store.update((state) => ({ ...state, theme }));
  }

  function press(key: ShellKey, fromPage: boolean): void {
    const { order, active } = store.get().tabs;
    if (key === 'filter') view.focusFilter();
    else if (key === 'sidebar') layout.toggle();
    else if (key === 'close-tab') {
      if (active !== null) view.close(active);
      const next = store.get().tabs.active;
      if (fromPage && next !== null) frames.focus(next);
    } else {
      const chosen = order[Number(key.slice('tab-'.length)) - 1];
      if (chosen !== undefined) actions.open(chosen);
    }
  }

  store.subscribe((state, before) => {
    applyTheme(document.documentElement, state.theme);
    view.render(state);
    for (const id of before.tabs.order) if (!state.tabs.order.includes(id)) subscriptions.unsubscribe(id);
    const { active: opened } = state.tabs;
    if (opened !== null && opened !== before.tabs.active && frames.open().includes(opened))
      subscriptions.subscribe(opened);
    portletState.update(state, frames.open());
    if (state.tabs !== before.tabs) tabMemory.write(state.tabs);
    if (state.collapsed !== before.collapsed) collapsed.write(state.collapsed);
    markSeen();
  });

  const stopping = new AbortController();
  listenToWindow(window, stopping.signal, {
    onKey: (key) => press(key, false),
    onEscape: layout.closeDrawer,
    onLeave: loads.leave,
    onToken: unlock,
    onTheme: (theme) => store.update((state) => ({ ...state, theme })),
    onWake: () => {
      markSeen();
      // A new window starts with the tabs of the window that was visible last.
      tabMemory.write(store.get().tabs);
      socket.wake();
    },
  });
  const stopClock = timers.every(CLOCK_TICK_MS, () => view.render(store.get()));
  deps.observeSize(view.tabBar.scroll, view.tabBar.onResize);

  // From now on the tabs belong to this window, even if they came from another one.
  tabMemory.write(store.get().tabs);
  view.render(store.get());
  portletState.update(store.get(), frames.open());
  const { active } = store.get().tabs;
  if (active !== null) frames.focus(active);
  unlock();

  return () => {
    stopping.abort();
    stopClock();
    socket.stop();
    frames.render(noTabs);
    root.replaceChildren();
  };
}
