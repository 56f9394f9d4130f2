import type { PortletToShell, ShellToPortlet } from '../../shared/portlet-messages.ts';
import { h, setText } from '../shared/dom.ts';
import { createHighlighter } from '../shared/markdown/highlight.ts';
import { readable } from '../shared/markdown/visible-characters.ts';
import { shellKeyOf } from '../shared/shortcuts.ts';
import { applyTheme } from '../shared/theme.ts';
import { createComposer } from './composer/composer.ts';
import { createConversation } from './conversation/conversation.ts';
import { createConversationView } from './conversation/conversation-view.ts';
import { oncePerFrame } from './conversation/frame.ts';
import { enableCopyButtons } from './copy-button.ts';
import type { Environment } from './environment.ts';
import { createEverySecond } from './every-second.ts';
import { createItemView } from './rows/item-view.ts';
import type { RowAction } from './rows/row-action.ts';
import type { RowContext } from './rows/view.ts';
import { createAnnouncer, describeTurnEnd } from './status/announcer.ts';
import { createBanner } from './status/banner.ts';
import { agentLabelOf, bannerOf, type PageState } from './status/page-state.ts';
import { drawPlaceholder, type PlaceholderKind } from './status/placeholder.ts';
import { createStatusLine } from './status/status-line.ts';

export interface SessionPageOptions {
  readonly root: HTMLElement;
  readonly sessionId: string;
  readonly env: Environment;
  readonly post: (message: PortletToShell) => void;
}

type Handlers = { readonly [T in ShellToPortlet['type']]: (message: Extract<ShellToPortlet, { type: T }>) => void };

/** A loading history is outlined only when it takes longer than this. */
const SKELETON_AFTER = 150;
const RESYNCED_FOR = 4_000;

/** The page of one session: conversation, message field, state. Everything that comes in goes through `receive`. */
export function createSessionPage({ root, sessionId, env, post }: SessionPageOptions) {
  let state: PageState = {
    info: undefined,
    agent: undefined,
    connection: 'connecting',
    isLoading: true,
    error: undefined,
    isRunning: false,
    isResynced: false,
  };
  let isCancelling = false;
  let wasDisconnected = false;
  let isSkeletonDue = false;
  let placeholderShown: PlaceholderKind | undefined;

  const everySecond = createEverySecond(env);
  const conversation = createConversation({
    now: env.now,
    onRowChanged: (key) => view.rowChanged(key),
    onRowsChanged: () => view.rowsChanged(),
  });
  const context: RowContext = {
    now: env.now,
    agentLabel: () => agentLabelOf(state),
    projectPath: () => state.info?.projectPath ?? '',
    itemOf: conversation.itemOf,
    childrenOf: conversation.childrenOf,
    viewOf: (item) => createItemView(item, context),
    onSettled: createHighlighter(),
    onAction: act,
    everySecond,
  };
  const view = createConversationView({ conversation, context, env });
  const composer = createComposer({ sessionId, env, onSend: send, onCancel: cancel });
  const banner = createBanner();
  const statusLine = createStatusLine(env.now);
  const announcer = createAnnouncer();
  const title = h('h1', { class: 'visually-hidden' }, 'Session');

  root.append(
    h(
      'main',
      { class: 'page' },
      title,
      view.element,
      h('div', { class: 'foot' }, banner.element, composer.element, statusLine.element),
      announcer.element,
    ),
  );
  enableCopyButtons(root, env);

  let stopTicking: (() => void) | undefined;

  function refresh(): void {
    const since = conversation.runningSince();
    if (since === undefined) isCancelling = false;
    state = { ...state, isRunning: since !== undefined };
    const work =
      since === undefined ? undefined : { since, lastActivityAt: conversation.lastActivityAt(), isCancelling };
    composer.setWork(work);
    if (since === undefined) {
      stopTicking?.();
      stopTicking = undefined;
    } else stopTicking ??= everySecond(refresh);
    const bannerValue = bannerOf(state, {
      reconnect: () => act({ type: 'reconnect' }),
      reload: () => {
        change({ error: undefined });
        post({ type: 'session:reload' });
      },
    });
    banner.update(bannerValue);
    statusLine.update(state, work);
    refreshPlaceholder();
  }
  const requestRefresh = oncePerFrame(env.requestFrame, refresh);

  function refreshPlaceholder(): void {
    const isEmpty = conversation.isEmpty();
    let kind: PlaceholderKind = 'none';
    if (isEmpty && !state.isLoading) kind = 'empty';
    else if (isEmpty && isSkeletonDue && state.error === undefined) kind = 'loading';
    if (kind === placeholderShown && kind !== 'empty') return;
    placeholderShown = kind;
    view.placeholder.replaceChildren(...drawPlaceholder(kind, state));
  }

  function change(changes: Partial<PageState>): void {
    state = { ...state, ...changes };
    refresh();
  }

  function send(sendId: string, content: string): void {
    conversation.send(sendId, content);
    post({ type: 'session:send', sendId, content });
    view.toBottom();
    change({ error: undefined });
  }

  function cancel(): void {
    if (!state.isRunning || isCancelling) return;
    isCancelling = true;
    post({ type: 'session:cancel' });
    refresh();
  }

  function act(action: RowAction): void {
    switch (action.type) {
      case 'reconnect':
        change({ error: undefined });
        post({ type: 'session:reconnect' });
        return;
      case 'send-again': {
        const text = conversation.userTextOf(action.turnId);
        if (text !== undefined) composer.send(text);
        return;
      }
      case 'copy':
        void env.copy(action.text);
    }
  }

  function resynced(): void {
    if (!wasDisconnected) return;
    wasDisconnected = false;
    change({ isResynced: true });
    announcer.say('Connected again.');
    env.after(RESYNCED_FOR, () => change({ isResynced: false }));
  }

  const handlers: Handlers = {
    'session:info': (info) => {
      setText(title, readable(info.title));
      document.title = info.title;
      change({ info });
    },
    'session:history': ({ entries, turns }) => {
      conversation.replace(entries, turns);
      change({ isLoading: false, error: undefined });
      resynced();
    },
    'session:upsert': ({ payload }) => {
      conversation.upsert(payload);
      requestRefresh();
    },
    'session:turn': ({ payload }) => {
      conversation.turn(payload);
      announcer.say(describeTurnEnd(payload, agentLabelOf(state)) ?? '');
      refresh();
    },
    'session:sent': ({ sendId, turnId }) => {
      conversation.sent(sendId, turnId);
      composer.sent(sendId);
      refresh();
    },
    'session:send-failed': ({ sendId, error }) => {
      conversation.sendFailed(sendId);
      refresh();
      composer.sendFailed(sendId, readable(error.message));
    },
    'session:error': ({ error }) => {
      if (error.code === 'INTERRUPT_FAILED') {
        isCancelling = false;
        composer.showProblem(readable(error.message));
        refresh();
      } else change({ error });
    },
    'agent:status': (agent) => change({ agent }),
    connection: ({ state: connection }) => {
      if (connection === 'reconnecting' || connection === 'disconnected') wasDisconnected = true;
      change({ connection });
    },
    theme: ({ theme }) => applyTheme(document.documentElement, theme),
    'portlet:shown': () => {
      composer.shown();
      view.shown();
    },
    'portlet:focus': () => composer.focus(),
  };

  document.addEventListener('keydown', (event) => {
    const key = shellKeyOf(event);
    if (key !== null) {
      event.preventDefault();
      post({ type: 'shell:key', key });
    } else if (event.key === 'Escape' && !event.isComposing) cancel();
  });
  env.after(SKELETON_AFTER, () => {
    isSkeletonDue = true;
    refreshPlaceholder();
  });
  refresh();

  return {
    receive<T extends ShellToPortlet['type']>(message: Extract<ShellToPortlet, { type: T }>): void {
      (handlers[message.type] as (message: ShellToPortlet) => void)(message);
    },
  };
}
