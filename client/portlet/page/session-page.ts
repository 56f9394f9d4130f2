import type { PortletToShell, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { h, setPageTitle, setText } from '../../shared/dom.ts';
import { createHighlighter } from '../../shared/markdown/highlight.ts';
import { warmUpMarkdown } from '../../shared/markdown/markdown-view.ts';
import { applyTheme } from '../../shared/theme.ts';
import type { Environment } from '../base/environment.ts';
import { createEverySecond } from '../base/every-second.ts';
import { createFrameQueue } from '../base/frame-queue.ts';
import { oncePerFrame } from '../base/once-per-frame.ts';
import { createComposer } from '../composer/composer.ts';
import { createOutbox } from '../composer/outbox.ts';
import { createConversation } from '../model/conversation.ts';
import { warmUpHistoryIntake } from '../model/history-intake.ts';
import { agentLabelOf } from '../status/page-state.ts';
import { createPageStatus } from '../status/page-status.ts';
import { createConversationView } from '../view/conversation-view.ts';
import { AGENT_NAME_ID } from '../view/rows/agent-message.ts';
import { createItemView } from '../view/rows/item-view.ts';
import type { RowAction, RowContext } from '../view/rows/row-context.ts';
import { createPageWork } from '../work/page-work.ts';
import { createConversationEvents, type Handlers } from './conversation-events.ts';
import { enableCopyButtons } from './copy-buttons.ts';
import { holdAddresses } from './held-address.ts';
import { listenToKeys } from './page-keys.ts';
import { createSends } from './sends.ts';
import { createStopRequests } from './stop-requests.ts';
import { createTurnControl } from './turn-control.ts';

/** An agent may have fallen asleep meanwhile. */
const WARM_UP_AGAIN_AFTER_MS = 60_000;

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

const DRAWN_PAUSE_MS = 500;

/** The page of one session: conversation, composer and status. All messages from the shell go through `receive`. */
export function createSessionPage({ root, sessionId, env, post }: SessionPageOptions): SessionPage {
  const ended = new AbortController();
  const everySecond = createEverySecond(env);
  let isDrawn = false;
  let warmedUpAt = Number.NEGATIVE_INFINITY;

  const conversation = createConversation({
    now: env.now,
    onRowChanged: (key) => view.rowChanged(key),
    onRowsChanged: () => view.rowsChanged(),
  });
  const work = createPageWork(env);
  const context: RowContext = {
    now: env.now,
    projectPath: () => status.state().info?.projectPath ?? '',
    itemOf: conversation.itemOf,
    childrenOf: conversation.childrenOf,
    sentStateOf: conversation.sentStateOf,
    viewOf: (item) => createItemView(item, context),
    onSettled: createHighlighter(work?.highlight),
    drawing: { work, schedule: createFrameQueue(env) },
    isStopping: (itemId) => stops.isStopping(itemId),
    onAction: act,
    everySecond,
  };
  const view = createConversationView({ conversation, context, env, onTop: () => events.loadOlder() });
  const status = createPageStatus({
    env,
    placeholder: view.placeholder,
    isEmpty: conversation.isEmpty,
    stopAll: () => stops.stopAll(),
    onFocusLost: () => composer.focus(),
    reconnect: () => act({ type: 'reconnect' }),
    trust: () => post({ type: 'session:trust' }),
    putBack() {
      status.change({ missing: 'putting-back' });
      post({ type: 'session:put-back' });
    },
    reload() {
      status.change({ error: undefined });
      post({ type: 'session:reload' });
    },
  });
  const stops = createStopRequests({
    conversation,
    post,
    onChange() {
      for (const item of conversation.background()) view.rowChanged(conversation.rowOf(item));
      status.change({ isStoppingAll: stops.isStoppingAll() });
    },
  });
  const turns = createTurnControl({
    conversation,
    status,
    everySecond,
    post,
    composer: () => composer,
    sends: () => sends,
  });
  const { refresh } = turns;
  const composer = createComposer({ sessionId, env, onSend: send, onInput: warmUp, onCancel: turns.cancel });
  const sends = createSends({
    conversation,
    outbox: createOutbox(env.storage, sessionId),
    env,
    post,
    isReady: () => status.state().connection === 'connected' && !status.state().isLoading,
    giveBack: composer.giveBack,
  });
  const title = h('h1', { class: 'visually-hidden', id: 'session-title' }, 'Session');
  const agentName = h('span', { id: AGENT_NAME_ID, hidden: true }, agentLabelOf(status.state()));

  /** Looking starts no process, so the agent is started while the user types. */
  function warmUp(): void {
    if (env.now() - warmedUpAt < WARM_UP_AGAIN_AFTER_MS) return;
    warmedUpAt = env.now();
    post({ type: 'session:warm' });
  }

  function send(content: string): void {
    sends.send(content);
    view.toBottom();
    status.change({ error: undefined, resynced: undefined });
    refresh();
  }

  /** Only after a pause: contents that freeze the page may be drawn a little later than the first ones. */
  function reportDrawn(): void {
    if (isDrawn) return;
    isDrawn = true;
    env.requestFrame(() => env.after(DRAWN_PAUSE_MS, () => env.requestIdle(() => post({ type: 'portlet:drawn' }))));
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
        return;
      case 'stop-background':
        stops.stop(action.itemId);
    }
  }

  const events = createConversationEvents({
    conversation,
    view,
    status,
    env,
    post,
    projectPath: context.projectPath,
    onSnapshot() {
      stops.clear();
      refresh();
      reportDrawn();
    },
    onCurrent() {
      sends.ready();
      refresh();
    },
    isSending: sends.isWaiting,
    onTurn: refresh,
    onActivity: oncePerFrame(env, refresh),
  });

  const handlers: Handlers = {
    ...events.handlers,
    'session:info': (info) => {
      setText(title, info.title);
      setPageTitle(info.title);
      setText(agentName, info.agentLabel);
      const before = status.state().info;
      const isSamePath = before?.projectPath === info.projectPath;
      status.change({ info });
      if (info.background === 0) stops.clear();
      else if (info.background > (before?.background ?? 0)) stops.started();
      // Rows that are already drawn show absolute paths until the project path is known.
      if (!isSamePath) for (const { key } of conversation.rows()) view.rowChanged(key);
    },
    'session:sent': ({ turnId }) => {
      sends.sent(turnId);
      refresh();
    },
    'session:send-failed': ({ turnId, error }) => {
      sends.refused(turnId, error.message);
      if (error.code === 'TRANSCRIPT_MISSING') status.change({ missing: 'told' });
      refresh();
    },
    'session:send-unanswered': ({ turnId }) => {
      sends.unanswered(turnId);
      refresh();
    },
    'session:fork-failed': ({ error }) => composer.showProblem(error.message),
    'session:put-back-failed': ({ error }) => status.change({ missing: error }),
    'session:stop-failed': ({ itemId, error }) => {
      stops.failed(itemId);
      composer.showProblem(error.message);
    },
    'session:error': ({ error }) => {
      if (error.code === 'INTERRUPT_FAILED') {
        turns.cancelFailed();
        composer.showProblem(error.message);
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
  holdAddresses(root, ended.signal);
  listenToKeys({ onShellKey: (key) => post({ type: 'shell:key', key }), onCancel: turns.cancel, signal: ended.signal });
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
      turns.dispose();
      status.dispose();
      view.dispose();
    },
  };
}
