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
import { createContinuity } from './continuity.ts';
import { createConversationEvents, type Handlers } from './conversation-events.ts';
import { enableCopyButtons } from './copy-buttons.ts';
import { holdAddresses } from './held-address.ts';
import { listenToKeys } from './page-keys.ts';
import { layOutPage, TITLE_ID } from './page-layout.ts';
import { createSendEvents } from './send-events.ts';
import { createSends, type NewMessage } from './sends.ts';
import { createStopRequests } from './stop-requests.ts';
import { createTurnControl } from './turn-control.ts';
import { createWarmUp } from './warm-up.ts';

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
  const above = h('div');
  const note = h('div');
  const continuity = createContinuity({
    sessionId,
    env,
    status,
    post,
    send,
    composer: () => composer,
    follow: view.toBottom,
    isWorking: () => conversation.runningSince() !== undefined,
    places: { above, receipt: status.receipt, note, tail: view.tail },
  });
  const warmUp = createWarmUp(env, post);
  const composer = createComposer({
    sessionId,
    env,
    onSend: continuity.send,
    onInput: () => continuity.isHeld() || warmUp(),
    onCancel: turns.cancel,
  });
  const sends = createSends({
    conversation,
    outbox: createOutbox(env.storage, sessionId),
    env,
    post,
    isReady: () => status.state().connection === 'connected' && !status.state().isLoading,
    giveBack: composer.giveBack,
  });
  const title = h('h1', { class: 'visually-hidden', id: TITLE_ID }, 'Session');
  const agentName = h('span', { id: AGENT_NAME_ID, hidden: true }, agentLabelOf(status.state()));

  function send(message: NewMessage): void {
    sends.send(message);
    view.toBottom();
    status.change({ error: undefined, resynced: undefined });
    refresh();
  }

  function onTurn(): void {
    refresh();
    continuity.update();
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
    onSnapshot(history) {
      continuity.snapshot(history);
      stops.clear();
      refresh();
      reportDrawn();
    },
    onCurrent() {
      sends.ready();
      onTurn();
    },
    isSending: sends.isWaiting,
    onTurn,
    onActivity: oncePerFrame(env, refresh),
  });

  const handlers: Handlers = {
    ...events.handlers,
    ...createSendEvents({ sends, continuity, status, refresh }),
    'session:info': (info) => {
      setText(title, info.title);
      setPageTitle(info.title);
      setText(agentName, info.agentLabel);
      const before = status.state().info;
      const isSamePath = before?.projectPath === info.projectPath;
      status.change({ info });
      continuity.info(info);
      if (info.background === 0) stops.clear();
      else if (info.background > (before?.background ?? 0)) stops.started();
      // Rows that are already drawn show absolute paths until the project path is known.
      if (!isSamePath) for (const { key } of conversation.rows()) view.rowChanged(key);
    },
    'session:fork-failed': ({ error }) => continuity.forkFailed(error),
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
    connection: ({ state: connection }) => {
      status.change({ connection });
      continuity.update();
    },
    theme: ({ theme }) => applyTheme(document.documentElement, theme),
    'portlet:shown': () => {
      composer.shown();
      view.shown();
      continuity.shown();
    },
    'portlet:focus': () => composer.focus(),
  };

  root.append(
    layOutPage({
      heading: [title, agentName],
      conversation: view.element,
      foot: [status.banner, above, composer.element, note, status.statusLine],
      announcer: status.announcer,
    }),
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
