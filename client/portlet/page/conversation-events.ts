import type { PortletToShell, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Environment } from '../base/environment.ts';
import type { Conversation } from '../model/conversation.ts';
import { createEventOrder } from '../model/event-order.ts';
import { createHistoryIntake } from '../model/history-intake.ts';
import { createOlderPages } from '../model/older-pages.ts';
import type { SnapshotLoss } from '../model/snapshot-loss.ts';
import { agentLabelOf, describeTurnEnd, unreadableEntries } from '../status/page-state.ts';
import type { PageStatus } from '../status/page-status.ts';
import type { ConversationView } from '../view/conversation-view.ts';
import { describeBackgroundChange } from '../view/tools/background-change.ts';

export type Handlers = {
  readonly [T in ShellToPortlet['type']]: (message: Extract<ShellToPortlet, { type: T }>) => void;
};

type EventHandlers = Pick<
  Handlers,
  | 'session:history'
  | 'session:resumed'
  | 'session:page'
  | 'session:page-failed'
  | 'session:upsert'
  | 'session:append'
  | 'session:turn'
>;

export interface ConversationEventsOptions {
  readonly conversation: Conversation;
  readonly view: Pick<ConversationView, 'setLoadingOlder' | 'checkOlder'>;
  readonly status: Pick<PageStatus, 'state' | 'change' | 'loaded' | 'caughtUp' | 'announce'>;
  readonly env: Environment;
  readonly post: (message: PortletToShell) => void;
  readonly projectPath: () => string;
  /** A snapshot replaced the conversation. */
  readonly onSnapshot: (history: Extract<ShellToPortlet, { type: 'session:history' }>) => void;
  /** The page shows the present state: after a snapshot, or after the events that it had missed. */
  readonly onCurrent: () => void;
  /** A message waits for the connection. */
  readonly isSending: () => boolean;
  /** A turn began or ended. */
  readonly onTurn: () => void;
  /** The agent did something. Called often. */
  readonly onActivity: () => void;
}

/** Applies snapshots, older pages and numbered events to the conversation, and announces what a user should hear. */
export function createConversationEvents(options: ConversationEventsOptions) {
  const { conversation, view, status, env, post } = options;
  const order = createEventOrder(() => post({ type: 'session:reload' }));
  const intake = createHistoryIntake({
    conversation,
    env,
    onInvalid: (count) => status.change({ error: unreadableEntries(count) }),
  });
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

  function announce(text: string | undefined): void {
    if (text !== undefined) status.announce(text);
  }

  function applyUpsert(upsert: UpsertObject): void {
    const before = conversation.itemOf(upsert.itemId);
    conversation.upsert(upsert);
    announce(describeBackgroundChange(before, conversation.itemOf(upsert.itemId), options.projectPath()));
  }

  function current(loss: SnapshotLoss): void {
    status.caughtUp(loss === 'none' && options.isSending() ? 'sending' : loss);
    options.onCurrent();
  }

  const handlers: EventHandlers = {
    'session:history': (history) => {
      const hasOlder = history.more === true;
      order.snapshot(history.asOf);
      status.loaded();
      intake.replace(history, hasOlder);
      olderPages.snapshot(hasOlder);
      status.change({ missing: history.missing ? (status.state().missing ?? 'told') : undefined });
      options.onSnapshot(history);
      current(conversation.loss());
    },
    'session:resumed': () => {
      status.loaded();
      view.checkOlder();
      current('none');
    },
    'session:page': olderPages.receive,
    'session:page-failed': olderPages.fail,
    'session:upsert': ({ seq, payload }) => {
      if (!order.accept(seq)) return;
      applyUpsert(payload);
      options.onActivity();
    },
    'session:append': (append) => {
      if (!order.accept(append.seq)) return;
      if (conversation.itemOf(append.itemId) === undefined) intake.finish();
      // The text of an entry on an older page comes with that page.
      const isOnOlderPage = conversation.itemOf(append.itemId) === undefined && olderPages.hasMore();
      if (!isOnOlderPage && !conversation.append(append)) order.lose();
      options.onActivity();
    },
    'session:turn': ({ seq, payload, times }) => {
      if (!order.accept(seq)) return;
      conversation.turn(payload, times);
      announce(describeTurnEnd(payload, agentLabelOf(status.state())));
      options.onTurn();
    },
  };
  return { handlers, loadOlder: olderPages.load };
}
