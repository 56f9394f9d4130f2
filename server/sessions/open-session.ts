import type { AppendMessage, EventMessage, HistoryMessage, SessionEvent } from '../../shared/events.ts';
import type { SessionId } from '../../shared/ids.ts';
import { isUserItemId, type TurnEvent, type UpsertObject } from '../../shared/stream-contracts.ts';
import { isTurnEnd, timesOf } from '../../shared/turns.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { HistoryPage, PageLimits } from '../journal/history-page.ts';
import type { Journal } from '../journal/journal.ts';
import { type Difference, isSame } from './compare-newest.ts';
import { createEventLog, type EventLogLimits } from './event-log.ts';
import { createEventQueue } from './event-queue.ts';
import { keptMessage } from './kept-message.ts';
import { createLiveSession, type TextGrowth } from './live-session.ts';
import { missedEvents } from './missed-events.ts';
import type { Conversation } from './read-conversation.ts';
import type { Refreshed } from './refresh-from-agent.ts';
import type { SeqAllocator } from './seq-numbers.ts';

/** An event for all windows, or for those that subscribed to a session. */
export type Announcement =
  | { readonly to: 'all'; readonly message: EventMessage }
  | {
      readonly to: 'session';
      readonly sessionId: SessionId;
      readonly message: EventMessage;
      /** The same event for windows that take appends. */
      readonly append?: AppendMessage | undefined;
    };

export type Announce = (announcement: Announcement) => void;

/** A session in memory: its state, updated by its provider, recorded in the journal and announced to the windows. */
export interface OpenSession {
  readonly provider: CliProvider;
  /** The newest page, and the number of the last event it includes. */
  history(): HistoryMessage;
  /** The page before an item, or undefined if the item is unknown. */
  pageBefore(itemId: string): Promise<HistoryPage | undefined>;
  /** The events after a number, or undefined if some are no longer available. */
  eventsSince(seq: number, appends: boolean): readonly SessionEvent[] | undefined;
  isRunning(): boolean;
  backgroundCount(): number;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
  /** The agent no longer has the conversation. */
  isMissing(): boolean;
  /** Records a message before it is sent. Resolves when it is on disk, or cannot be written. */
  keep(turnId: string, content: string): Promise<void>;
  /** A kept message was refused. Ignored once it is shown. */
  forget(turnId: string): void;
  /**
   * Ends running turns that cannot continue: one whose message could not be sent, or all of them (without `turnId`)
   * because the process has ended. A provider that follows its contract has already ended them.
   */
  failTurns(error: { readonly code: string; readonly message: string }, turnId?: string): void;
  /**
   * Makes the conversation what `read` returns, given the newest page. Windows get what was added and what changed in its
   * place, or a snapshot. Undefined leaves it as it is. `read` is not called while a turn or background work runs.
   */
  refresh(read: (shown: HistoryPage) => Promise<Refreshed | undefined>): Promise<RefreshOutcome>;
  /** Adds a line of the system after everything else. */
  note(itemId: string, content: string): void;
  /** Resolves when everything that the provider reported is recorded and announced. */
  drained(): Promise<void>;
  /** Stops listening to the provider. */
  release(): void;
}

/**
 * `busy`: nothing was read, because something runs. `changed`: something that was shown is not part of the conversation any
 * more, or stands elsewhere.
 */
export type RefreshOutcome = 'busy' | 'same' | 'added' | 'changed';

/** What a snapshot says of a session besides its conversation. */
export type SnapshotFacts = Pick<HistoryMessage, 'context' | 'heldBy' | 'branches'>;

export interface SessionLimits {
  readonly pages?: PageLimits;
  readonly log?: EventLogLimits;
}

export interface OpenSessionOptions {
  readonly sessionId: SessionId;
  readonly provider: CliProvider;
  readonly journal: Journal;
  readonly now: () => string;
  readonly seq: SeqAllocator;
  readonly limits?: SessionLimits | undefined;
  readonly announce: Announce;
  /** Called when a turn or background work begins or ends. */
  readonly onActivity: () => void;
  readonly facts?: (() => SnapshotFacts) | undefined;
}

/**
 * Opens a session with `load`. It listens to the provider before the history is read, so that nothing is lost; events
 * that arrive meanwhile are applied to the history.
 */
export async function openSession(
  options: OpenSessionOptions,
  load: () => Promise<Conversation>,
): Promise<OpenSession> {
  const { sessionId, provider, journal, announce, now } = options;
  const queue = createEventQueue(() => numbers.canGive());
  /** Turns whose message is kept and not shown. */
  const kept = new Set<string>();

  const takeUpsert = (upsert: UpsertObject, growth?: TextGrowth) => queue.add(() => applyUpsert(upsert, growth));
  const takeTurn = (event: TurnEvent) => queue.add(() => applyTurn(event));

  const stops = [
    provider.onUpsert(sessionId, takeUpsert),
    provider.onTurn(sessionId, takeTurn),
    provider.onReceipt(sessionId, takeTurn),
  ];
  const release = () => {
    for (const stop of stops) stop();
    queue.close();
  };

  const conversation = await load().catch((error: unknown) => {
    release();
    throw error;
  });
  let { isMissing } = conversation;
  let live = createLiveSession(conversation, options.limits?.pages);
  const numbers = options.seq.begin(sessionId, queue.run);
  let log = createEventLog(numbers.last(), options.limits?.log);

  function history(): HistoryMessage {
    const { entries, turns, more } = live.page();
    const flags = { ...(more && { more }), ...(isMissing && { missing: true as const }) };
    return { type: 'session:history', sessionId, asOf: numbers.last(), entries, turns, ...flags, ...options.facts?.() };
  }

  /** Announces the change before the activity, so that the activity never refers to an unknown state. */
  function tellActivity(change: () => void): void {
    const before = [live.runningTurns().size, live.backgroundCount()];
    change();
    if (live.runningTurns().size !== before[0] || live.backgroundCount() !== before[1]) options.onActivity();
  }

  function applyUpsert(upsert: UpsertObject, growth?: TextGrowth): void {
    tellActivity(() => {
      const { itemId, turnId, emittedAt, sourceTimestamp } = upsert;
      if (isUserItemId(itemId)) live.beginTurn(turnId, emittedAt);
      const grown = live.applyUpsert(upsert, growth);
      const seq = numbers.give();
      if (isUserItemId(itemId)) recordBegin(turnId, seq);
      if (grown !== undefined && upsert.status === 'update')
        journal.record(sessionId, [{ kind: 'growth', itemId, ...grown, emittedAt, seq }]);
      else journal.record(sessionId, [{ kind: 'item', upsert, position: live.position(itemId), seq }]);
      const message = { type: 'session:upsert' as const, sessionId, seq, payload: upsert };
      const append = grown && toAppend(seq, upsert, grown);
      if (append === undefined) log.add({ kind: 'whole', event: message });
      else log.add({ kind: 'growth', append, stamp: { emittedAt, sourceTimestamp } });
      announce({ to: 'session', sessionId, message, append });
    });
  }

  function recordBegin(turnId: string, seq: number): void {
    const turn = live.turn(turnId);
    if (turn === undefined) return;
    if (kept.delete(turnId)) live.putTurn({ receipt: 'kept', ...turn });
    journal.record(sessionId, [{ kind: 'turn', turn: live.turn(turnId) ?? turn, seq }]);
  }

  function applyTurn(payload: TurnEvent): void {
    const turn = live.turnAfter(payload, now());
    if (turn !== undefined) journal.record(sessionId, [{ kind: 'turn', turn, seq: numbers.last() + 1 }]);
    // The receipt of a message that is not shown yet is for the window that sent it.
    else if (payload.type !== 'turn_receipt') return;
    const show = () =>
      tellActivity(() => {
        if (turn !== undefined) live.putTurn(turn);
        const times = turn && { times: timesOf(turn) };
        const message = { type: 'session:turn' as const, sessionId, seq: numbers.give(), payload, ...times };
        log.add({ kind: 'whole', event: message });
        announce({ to: 'session', sessionId, message });
      });
    if (!isTurnEnd(payload)) {
      show();
      return;
    }
    // The end of a turn is on disk before anybody is told. A disk that cannot be written must not stop the session.
    void queue.hold(async () => {
      await journal.durable().catch(() => undefined);
      show();
      live.trim();
    });
  }

  const isBusy = () => live.runningTurns().size > 0 || live.backgroundCount() > 0;

  /** An item that another program wrote, or that we write about the conversation. Its turn is none of ours. */
  function applyFollowed(upsert: UpsertObject): void {
    live.applyUpsert(upsert);
    const seq = numbers.give();
    journal.record(sessionId, [{ kind: 'item', upsert, position: live.position(upsert.itemId), seq }]);
    const message = { type: 'session:upsert' as const, sessionId, seq, payload: upsert };
    log.add({ kind: 'whole', event: message });
    announce({ to: 'session', sessionId, message });
  }

  function applyDifference({ changed, added, turns }: Difference): RefreshOutcome {
    const receipts = turns.flatMap(({ turnId, receipt }) =>
      receipt === undefined ? [] : [{ type: 'turn_receipt' as const, turnId, sessionId, receipt }],
    );
    const changes = [
      ...[...changed, ...added].map((upsert) => () => applyFollowed(upsert)),
      ...receipts.map((event) => () => applyTurn(event)),
    ];
    // Before what the provider reported meanwhile.
    queue.addFirst(changes);
    queue.add(() => live.trim());
    return changed.some(({ inContext }) => inContext === false) ? 'changed' : 'added';
  }

  function replace(next: Conversation): RefreshOutcome {
    const before = live.page();
    const wasMissing = isMissing;
    isMissing = next.isMissing;
    live = createLiveSession(next, options.limits?.pages);
    if (wasMissing === isMissing && isSame(before, live.page())) return 'same';
    numbers.give();
    log = createEventLog(numbers.last(), options.limits?.log);
    announce({ to: 'session', sessionId, message: history() });
    return 'changed';
  }

  async function refresh(read: (shown: HistoryPage) => Promise<Refreshed | undefined>): Promise<RefreshOutcome> {
    while (queue.isHeld() && queue.isOpen()) await queue.drained();
    if (!queue.isOpen() || isBusy()) return 'busy';
    let outcome: RefreshOutcome = 'same';
    await queue.hold(async () => {
      const next = await read(live.page());
      if (next === undefined || !queue.isOpen()) return;
      outcome = next.kind === 'difference' ? applyDifference(next.difference) : replace(next.conversation);
    });
    return outcome;
  }

  announce({ to: 'session', sessionId, message: history() });
  queue.open();

  return {
    provider,
    history,
    pageBefore: (itemId) => journal.page(sessionId, itemId, options.limits?.pages),
    eventsSince: (seq, appends) => missedEvents(log.since(seq), appends, live.item),
    isRunning: () => live.runningTurns().size > 0,
    backgroundCount: () => live.backgroundCount(),
    hasFailed: () => live.hasFailed(),
    isMissing: () => isMissing,
    async keep(turnId, content) {
      const { upsert, turn } = keptMessage({ sessionId, turnId, content, at: now() });
      const seq = numbers.last();
      kept.add(turnId);
      journal.record(sessionId, [
        { kind: 'item', upsert, position: live.takePosition(), seq },
        { kind: 'turn', turn, seq },
      ]);
      await journal.durable().then(
        () => takeTurn({ type: 'turn_receipt', turnId, sessionId, receipt: 'kept' }),
        () => undefined,
      );
    },
    forget(turnId) {
      if (kept.delete(turnId)) journal.record(sessionId, [{ kind: 'forget-turn', turnId }]);
    },
    failTurns({ code, message }, only) {
      for (const turnId of [...live.runningTurns()]) {
        if ((only ?? turnId) !== turnId) continue;
        takeTurn({ type: 'turn_error', turnId, sessionId, errorCode: code, errorMessage: message });
      }
    },
    refresh,
    note(itemId, content) {
      queue.add(() => {
        const at = now();
        const turnId = live.page().entries.at(-1)?.turnId ?? itemId;
        const facts = { sessionId, turnId, itemId, sourceTimestamp: at, emittedAt: at };
        applyFollowed({ ...facts, type: 'message', origin: 'system', status: 'complete', content });
      });
    },
    drained: queue.drained,
    release,
  };
}

function toAppend(seq: number, upsert: UpsertObject, { at, text }: TextGrowth): AppendMessage {
  const { sessionId, itemId, status, emittedAt, sourceTimestamp, errorCode, errorMessage } = upsert;
  const append: AppendMessage = { type: 'session:append', sessionId, seq, itemId, at, text };
  if (status !== 'complete' && status !== 'error') return append;
  const error = { ...(errorCode !== undefined && { errorCode }), ...(errorMessage !== undefined && { errorMessage }) };
  return { ...append, end: { status, emittedAt, sourceTimestamp, ...error } };
}
