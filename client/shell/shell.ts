import { z } from 'zod';
import type { Introduction } from '../../shared/handshake.ts';
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
import { createApi, type DownloadedFile } from './server/api.ts';
import { forgetFormerToken, readSecret, removeSecret } from './server/proof/address.ts';
import { KEY_SAVED_AT, type KeyStore } from './server/proof/key-store.ts';
import { createSocket, type Denial } from './server/socket.ts';
import { createSubscriptions } from './server/subscriptions.ts';
import { createServerSync } from './server-sync.ts';
import { createShellView } from './shell-view.ts';
import { createSidebarLayout } from './sidebar/sidebar-layout.ts';
import { createActions } from './state/actions.ts';
import { seen } from './state/changes.ts';
import { createSessionActions } from './state/session-actions.ts';
import { type Access, createStore, initialState } from './state/store.ts';
import { createTabMemory, noTabs } from './state/tabs.ts';
import { createTrustActions } from './state/trust-actions.ts';
import { createAskTrust } from './widgets/ask-trust.ts';
import { createConfirmDialog } from './widgets/confirm-dialog.ts';
import { createNotices } from './widgets/notices.ts';

const CLOCK_TICK_MS = 30_000;
const IGNORED_ADDRESS = 'The token in the address is not valid (any more). It was ignored.';

export interface ShellDeps {
  readonly root: HTMLElement;
  readonly window: Window;
  /** Shared by all windows of the browser. */
  readonly storage: Storage;
  /** Belongs to this window only. */
  readonly windowStorage: Storage;
  readonly fetch: typeof globalThis.fetch;
  readonly connect: () => WebSocket;
  readonly keys: KeyStore;
  readonly newNonce: () => Uint8Array;
  readonly timers: Timers;
  readonly now: () => number;
  readonly narrow: Pick<MediaQueryList, 'matches' | 'addEventListener'>;
  /** Gives a file to the user. */
  readonly save: (file: DownloadedFile) => void;
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

  const { origin } = window.location;
  const keySavedAt = createStored(storage, KEY_SAVED_AT, z.number(), 0);
  const api = createApi({ fetch: deps.fetch, origin, signRequest: (request) => socket.signRequest(request) });
  const socket = createSocket({
    connect: deps.connect,
    origin,
    newNonce: deps.newNonce,
    meetsStranger: api.meetsStranger,
    timers,
    onFrame: (frame) => sync.onFrame(frame),
    onState: (state) => sync.onState(state),
    onGrant: async (key) => {
      const kept = await deps.keys.save(key);
      keySavedAt.write(deps.now());
      removeSecret(window);
      return kept;
    },
    onSkipped: ignoreAddress,
    onDenied: (denial, { by }) => lock(accessAfter(denial, by)),
  });
  const subscriptions = createSubscriptions(socket);
  const notices = createNotices(timers);
  const confirm = createConfirmDialog();
  const layout = createSidebarLayout({ root, storage, narrow: deps.narrow });
  const trust = createTrustActions({ store, socket, notices, askTrust: createAskTrust(root), confirm: confirm.ask });
  const sessionActions = createSessionActions({
    store,
    api,
    socket,
    notices,
    confirm: confirm.ask,
    save: deps.save,
    onRestored: (sessionId) => view.focusSession(sessionId),
  });
  const actions = createActions({
    trust,
    sessions: sessionActions,
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
    trust,
    socket,
    post: (sessionId, message) => frames.post(sessionId, message),
    onReload: subscriptions.resubscribe,
    onTrust: (sessionId) => {
      const session = store.get().sessions.get(sessionId);
      if (session !== undefined) void trust.trust(session.projectId);
    },
    onForked: actions.openNew,
    onOpen: (sessionId) => {
      if (store.get().sessions.has(sessionId)) actions.open(sessionId);
    },
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
    refreshArchived: sessionActions.refreshArchived,
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
    onProblem: notices.error,
    onTryAgain: () => void unlock(),
    floating: [confirm.element, notices.element],
  });

  function markSeen(): void {
    const { active } = store.get().tabs;
    if (active !== null && document.visibilityState === 'visible') store.update(seen(active));
  }

  function lock(access: Access): void {
    removeSecret(window);
    socket.stop();
    store.update((state) => ({ ...state, access, connection: 'disconnected' }));
  }

  function ignoreAddress(): void {
    removeSecret(window);
    notices.info(IGNORED_ADDRESS);
  }

  /** A secret in the address is tried before the stored key, and replaces it only if the server confirms it. */
  async function unlock(): Promise<void> {
    const fromAddress = readSecret(window.location);
    // A page that has access already needs no other.
    if (fromAddress !== null && socket.isReady()) {
      removeSecret(window);
      return;
    }
    const stored = await deps.keys.read();
    if (stopping.signal.aborted) return;
    const [first, ...others] = [fromAddress, stored].filter((found) => found !== null && found !== 'malformed');
    if (first === undefined) {
      lock(fromAddress === 'malformed' ? 'bad-address' : 'no-key');
      return;
    }
    if (fromAddress === 'malformed') ignoreAddress();
    store.update((state) => ({ ...state, access: 'granted' }));
    socket.start([first, ...others]);
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
    onAddress: () => void unlock(),
    onKeySaved: () => {
      if (store.get().access !== 'granted') void unlock();
    },
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
  forgetFormerToken(storage);
  void unlock();

  return () => {
    stopping.abort();
    stopClock();
    socket.stop();
    frames.render(noTabs);
    root.replaceChildren();
  };
}

function accessAfter(denial: Denial, by: Introduction): Access {
  if (by === 'key') return denial === 'stranger' ? 'stranger' : 'renewed';
  return denial === 'stranger' ? 'bad-address' : 'used-address';
}
