import type { PortletToShell, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { h, setText } from '../../shared/dom.ts';
import { escapeInvisible } from '../../shared/escape-invisible.ts';
import { createHighlighter } from '../../shared/markdown/highlight.ts';
import { warmUpMarkdown } from '../../shared/markdown/markdown-view.ts';
import { applyTheme } from '../../shared/theme.ts';
import type { Environment } from '../base/environment.ts';
import { createEverySecond } from '../base/every-second.ts';
import { oncePerFrame } from '../base/once-per-frame.ts';
import { createComposer } from '../composer/composer.ts';
import { createConversation } from '../model/conversation.ts';
import { createEventOrder } from '../model/event-order.ts';
import { createHistoryIntake, warmUpHistoryIntake } from '../model/history-intake.ts';
import { createOlderPages } from '../model/older-pages.ts';
import { agentLabelOf, describeTurnEnd } from '../status/page-state.ts';
import { createPageStatus } from '../status/page-status.ts';
import { createConversationView } from '../view/conversation-view.ts';
import { AGENT_NAME_ID } from '../view/rows/agent-message.ts';
import { createItemView } from '../view/rows/item-view.ts';
import type { RowAction, RowContext } from '../view/rows/row-context.ts';
import { enableCopyButtons } from './copy-buttons.ts';
import { listenToKeys } from './page-keys.ts';

export interface SessionPageOptions {
  readonly root: HTMLElement;
  readonly sessionId: string;
  readonly env: Environment;
  readonly post: (message: PortletToShell) => void;
}

export interface SessionPage {
  receive(message: ShellToPortlet): void;
  dispose(): void;
}

type Handlers = { readonly [T in ShellToPortlet['type']]: (message: Extract<ShellToPortlet, { type: T }>) => void };

/** The page of one session: conversation, composer and status. All messages from the shell go through `receive`. */
export function createSessionPage({ root, sessionId, env, post }: SessionPageOptions): SessionPage {
  const ended = new AbortController();
  const everySecond = createEverySecond(env);
  let isCancelling = false;
  let stopTicking: (() => void) | undefined;

  const conversation = createConversation({
    now: env.now,
    onRowChanged: (key) => view.rowChanged(key),
    onRowsChanged: () => view.rowsChanged(),
  });
  const context: RowContext = {
    now: env.now,
    projectPath: () => status.state().info?.projectPath ?? '',
    itemOf: conversation.itemOf,
    childrenOf: conversation.childrenOf,
    viewOf: (item) => createItemView(item, context),
    onSettled: createHighlighter(),
    onAction: act,
    everySecond,
  };
  const view = createConversationView({ conversation, context, env, onTop: () => olderPages.load() });
  const status = createPageStatus({
    env,
    placeholder: view.placeholder,
    isEmpty: conversation.isEmpty,
    reconnect: () => act({ type: 'reconnect' }),
    reload() {
      status.change({ error: undefined });
      post({ type: 'session:reload' });
    },
  });
  const intake = createHistoryIntake({ conversation, env, onInvalid: reportInvalid });
  const olderPages = createOlderPages({
    conversation,
    intake,
    post,
    onLoading: view.setLoadingOlder,
    onError({ error }) {
      // The conversation was loaded again under other ids.
      if (error.code === 'ITEM_NOT_FOUND') order.lose();
      else if (status.state().connection === 'connected') status.change({ error });
    },
  });
  const order = createEventOrder(() => post({ type: 'session:reload' }));
  const composer = createComposer({ sessionId, env, onSend: send, onCancel: cancel });
  const title = h('h1', { class: 'visually-hidden', id: 'session-title' }, 'Session');
  const agentName = h('span', { id: AGENT_NAME_ID, hidden: true }, agentLabelOf(status.state()));

  function refresh(): void {
    const since = conversation.runningSince();
    if (since === undefined) {
      isCancelling = false;
      stopTicking?.();
      stopTicking = undefined;
    } else stopTicking ??= everySecond(refresh);
    const lastActivityAt = conversation.lastActivityAt();
    const work = since === undefined ? undefined : { since, lastActivityAt, isCancelling };
    composer.setWork(work);
    status.setWork(work);
  }
  const requestRefresh = oncePerFrame(env, refresh);

  function send(sendId: string, content: string): void {
    conversation.send(sendId, content);
    post({ type: 'session:send', sendId, content });
    view.toBottom();
    status.change({ error: undefined });
    refresh();
  }

  function cancel(): void {
    if (conversation.runningSince() === undefined || isCancelling) return;
    isCancelling = true;
    post({ type: 'session:cancel' });
    refresh();
  }

  function act(action: RowAction): void {
    switch (action.type) {
      case 'reconnect':
        status.change({ error: undefined });
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

  function reportInvalid(count: number): void {
    const entries = count === 1 ? '1 entry' : `${count} entries`;
    const message = `${entries} of this conversation could not be read. Reload the page; if that does not help, update Liminal Builder.`;
    status.change({ error: { code: 'PROTOCOL_ERROR', message } });
  }

  const handlers: Handlers = {
    'session:info': (info) => {
      setText(title, escapeInvisible(info.title));
      document.title = info.title;
      setText(agentName, escapeInvisible(info.agentLabel));
      const isSamePath = status.state().info?.projectPath === info.projectPath;
      status.change({ info });
      // Rows that are already drawn show absolute paths until the project path is known.
      if (!isSamePath) for (const { key } of conversation.rows()) view.rowChanged(key);
    },
    'session:history': (history) => {
      const hasOlder = history.more === true;
      order.snapshot(history.asOf);
      status.loaded();
      intake.replace(history, hasOlder);
      olderPages.snapshot(hasOlder);
      refresh();
    },
    'session:resumed': () => {
      status.loaded();
      view.checkOlder();
    },
    'session:page': olderPages.receive,
    'session:page-failed': olderPages.fail,
    'session:upsert': ({ seq, payload }) => {
      if (!order.accept(seq)) return;
      conversation.upsert(payload);
      requestRefresh();
    },
    'session:append': (append) => {
      if (!order.accept(append.seq)) return;
      if (conversation.itemOf(append.itemId) === undefined) intake.finish();
      // The text of an entry on an older page comes with that page.
      const isOnOlderPage = conversation.itemOf(append.itemId) === undefined && olderPages.hasMore();
      if (!isOnOlderPage && !conversation.append(append)) order.lose();
      requestRefresh();
    },
    'session:turn': ({ seq, payload }) => {
      if (!order.accept(seq)) return;
      conversation.turn(payload);
      const end = describeTurnEnd(payload, agentLabelOf(status.state()));
      if (end !== undefined) status.announce(end);
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
      composer.sendFailed(sendId, escapeInvisible(error.message));
    },
    'session:error': ({ error }) => {
      if (error.code === 'INTERRUPT_FAILED') {
        isCancelling = false;
        composer.showProblem(escapeInvisible(error.message));
        refresh();
      } else status.change({ error });
    },
    'agent:status': (agent) => status.change({ agent }),
    connection: ({ state: connection }) => status.change({ connection }),
    theme: ({ theme }) => applyTheme(document.documentElement, theme),
    'portlet:shown': () => {
      composer.shown();
      view.shown();
    },
    'portlet:focus': () => composer.focus(),
  };

  root.append(
    h(
      'main',
      // Labelled, because the surrounding shell has a main landmark too.
      { class: 'page', 'aria-labelledby': title.id },
      title,
      agentName,
      view.element,
      h(
        'div',
        { class: 'foot' },
        h('div', { class: 'foot-column' }, status.banner, composer.element, status.statusLine),
      ),
      status.announcer,
    ),
  );
  enableCopyButtons(root, env);
  listenToKeys({ onShellKey: (key) => post({ type: 'shell:key', key }), onCancel: cancel, signal: ended.signal });
  refresh();
  env.requestIdle(() => {
    if (!status.state().isLoading) return;
    warmUpHistoryIntake();
    warmUpMarkdown();
  });

  return {
    receive: (message) => (handlers[message.type] as (message: ShellToPortlet) => void)(message),
    dispose() {
      ended.abort();
      stopTicking?.();
      status.dispose();
      view.dispose();
    },
  };
}
