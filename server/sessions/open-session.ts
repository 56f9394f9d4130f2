import type { AppendMessage, EventMessage, HistoryMessage, SessionEvent } from '../../shared/events.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { CliProvider, ProviderSession } from '../engine/provider-types.ts';
import type { HistoryPage, PageLimits } from '../journal/history-page.ts';
import { createEventLog, type EventLogLimits } from './event-log.ts';
import { createLiveSession, type TextGrowth } from './live-session.ts';
import { missedEvents } from './missed-events.ts';
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

/** A session in memory: its state, updated by its provider and announced to the windows. */
export interface OpenSession {
  readonly provider: CliProvider;
  /** The newest page, and the number of the last event it includes. */
  history(): HistoryMessage;
  /** The page before an item, or undefined if the item is unknown. */
  pageBefore(itemId: string): HistoryPage | undefined;
  /** The events after a number, or undefined if some are no longer available. */
  eventsSince(seq: number, appends: boolean): readonly SessionEvent[] | undefined;
  isRunning(): boolean;
  backgroundCount(): number;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
  /**
   * Ends running turns that cannot continue: one whose message could not be sent, or all of them (without `turnId`)
   * because the process has ended. A provider that follows its contract has already ended them.
   */
  failTurns(error: { readonly code: string; readonly message: string }, turnId?: string): void;
  /** Stops listening to the provider. */
  release(): void;
}

export interface SessionLimits {
  readonly pages?: PageLimits;
  readonly log?: EventLogLimits;
}

export interface OpenSessionOptions {
  readonly sessionId: SessionId;
  readonly provider: CliProvider;
  readonly now: () => string;
  readonly seq: SeqAllocator;
  readonly limits?: SessionLimits | undefined;
  readonly announce: Announce;
  /** Called when a turn or background work begins or ends. */
  readonly onActivity: () => void;
}

/**
 * Opens a session with `load`. It listens to the provider before the history is read, so that nothing is lost; events
 * that arrive meanwhile are applied to the history.
 */
export async function openSession(
  options: OpenSessionOptions,
  load: () => Promise<ProviderSession>,
): Promise<OpenSession> {
  const { sessionId, provider, announce } = options;
  /** Changes that wait for the history or for a sequence number. */
  const waiting: (() => void)[] = [];
  let isReady = false;

  function takeUpsert(upsert: UpsertObject, growth?: TextGrowth): void {
    whenReady(() => applyUpsert(upsert, growth));
  }

  function takeTurn(event: TurnEvent): void {
    whenReady(() => applyTurn(event));
  }

  function whenReady(apply: () => void): void {
    waiting.push(apply);
    applyWaiting();
  }

  function applyWaiting(): void {
    while (isReady && numbers.canGive()) {
      const apply = waiting.shift();
      if (apply === undefined) return;
      apply();
    }
  }

  const stops = [provider.onUpsert(sessionId, takeUpsert), provider.onTurn(sessionId, takeTurn)];
  const release = () => {
    isReady = false;
    for (const stop of stops) stop();
  };

  const loaded = await load().catch((error: unknown) => {
    release();
    throw error;
  });
  const live = createLiveSession(loaded.history, options.limits?.pages);
  const numbers = options.seq.begin(sessionId, applyWaiting);
  const log = createEventLog(numbers.last(), options.limits?.log);

  function history(): HistoryMessage {
    const { entries = [], turns = [], more } = live.page() ?? {};
    const asOf = numbers.last();
    return { type: 'session:history', sessionId, asOf, entries, turns, ...(more && { more }) };
  }

  /** Announces the change before the activity, so that the activity never refers to an unknown state. */
  function tellActivity(change: () => void): void {
    const before = [live.runningTurns().size, live.backgroundCount()];
    change();
    if (live.runningTurns().size !== before[0] || live.backgroundCount() !== before[1]) options.onActivity();
  }

  function applyUpsert(upsert: UpsertObject, growth?: TextGrowth): void {
    tellActivity(() => {
      const grown = live.applyUpsert(upsert, growth);
      const seq = numbers.give();
      const message = { type: 'session:upsert' as const, sessionId, seq, payload: upsert };
      const append = grown && toAppend(seq, upsert, grown);
      const { emittedAt, sourceTimestamp } = upsert;
      if (append === undefined) log.add({ kind: 'whole', event: message });
      else log.add({ kind: 'growth', append, stamp: { emittedAt, sourceTimestamp } });
      announce({ to: 'session', sessionId, message, append });
    });
  }

  function applyTurn(payload: TurnEvent): void {
    tellActivity(() => {
      if (!live.applyTurn(payload, options.now())) return;
      const message = { type: 'session:turn' as const, sessionId, seq: numbers.give(), payload };
      log.add({ kind: 'whole', event: message });
      announce({ to: 'session', sessionId, message });
    });
  }

  announce({ to: 'session', sessionId, message: history() });
  isReady = true;
  applyWaiting();

  return {
    provider,
    history,
    pageBefore: live.page,
    eventsSince: (seq, appends) => missedEvents(log.since(seq), appends, live.item),
    isRunning: () => live.runningTurns().size > 0,
    backgroundCount: live.backgroundCount,
    hasFailed: live.hasFailed,
    failTurns({ code, message }, only) {
      for (const turnId of [...live.runningTurns()]) {
        if ((only ?? turnId) !== turnId) continue;
        takeTurn({ type: 'turn_error', turnId, sessionId, errorCode: code, errorMessage: message });
      }
    },
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
