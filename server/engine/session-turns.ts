import type { ReceiptEvent, TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import { userItemId } from '../../shared/stream-contracts.ts';
import type { Clock } from '../clock.ts';
import type { StreamAction } from '../streaming/stream-actions.ts';
import { type BackgroundWork, createStreamCore, LIVE_BATCHING } from '../streaming/stream-core.ts';
import type { TextGrowth } from '../streaming/text-item.ts';
import type { Driver, Failure, SessionTarget } from './driver.ts';
import { createNotices } from './notices.ts';
import { createReceipts } from './receipts.ts';

/** How the engine ends a turn that the agent has not ended. */
export type Ending = 'cancelled' | Failure;

/** The turns and background work of one session. They outlive the links and processes that work on them. */
export interface SessionTurns {
  apply(action: StreamAction, at?: string): void;
  /** Shows the user's message, which begins its turn. */
  begin(turnId: string, content: string, at?: string): void;
  /** The agent has the message of a turn. */
  markTaken(turnId: string): void;
  open(): readonly string[];
  background(): readonly BackgroundWork[];
  backgroundCount(): number;
  /** A tool runs in the foreground. */
  isToolRunning(): boolean;
  /** A turn completed at least once, so the agent has a conversation. */
  hasCompleted(): boolean;
  /** However these turns end, they end as cancelled. */
  markCancelled(turnIds: readonly string[]): void;
  /** Ends those of the turns that are open. `flush` gives the last actions of each. */
  end(turnIds: readonly string[], how: Ending, flush: (turnId: string) => readonly StreamAction[]): void;
  breakBackground(failure: Failure): void;
  /** Resolves when none of these turns, or no turn at all, is open. */
  whenEnded(turnIds?: readonly string[]): Promise<void>;
  /** Shows a notice in the current turn, or in the next one. */
  notify(text: string): void;
  close(): void;
}

export interface SessionTurnsOptions {
  readonly driver: Driver;
  readonly target: SessionTarget;
  readonly clock: Clock;
  readonly onUpsert: (upsert: UpsertObject, growth?: TextGrowth) => void;
  readonly onTurn: (event: TurnEvent) => void;
  readonly onReceipt: (event: ReceiptEvent) => void;
  readonly log: (message: string) => void;
}

export function createSessionTurns(options: SessionTurnsOptions): SessionTurns {
  const { driver, target, clock } = options;
  const cancelled = new Set<string>();
  const runningCalls = new Set<string>();
  const waiters = new Set<() => void>();
  const receipts = createReceipts(target.sessionId, options.onReceipt);
  let hasCompleted = false;

  const notices = createNotices({
    log: options.log,
    show: (turnId, itemId, content) => core.apply({ do: 'message', turnId, itemId, origin: 'system', content }),
  });
  const record = driver.openRecord?.(target, notices.report);
  const core = createStreamCore({
    sessionId: target.sessionId,
    providerId: driver.cliType,
    clock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert(upsert, growth) {
      record?.take(upsert);
      options.onUpsert(upsert, growth);
    },
    onTurn(event) {
      const { turnId } = event;
      if (event.type === 'turn_started') {
        options.onTurn(event);
        notices.openTurn(turnId);
        return;
      }
      record?.endTurn(turnId);
      notices.closeTurn(turnId);
      cancelled.delete(turnId);
      receipts.end(event);
      hasCompleted ||= event.type === 'turn_complete';
      options.onTurn(event);
      if (core.openTurns().length === 0) runningCalls.clear();
      for (const check of [...waiters]) check();
    },
  });

  function asCancelled(action: StreamAction): StreamAction {
    if ((action.do !== 'turn_done' && action.do !== 'turn_error') || !cancelled.has(action.turnId)) return action;
    return action.do === 'turn_done'
      ? { ...action, status: 'cancelled' }
      : { do: 'turn_done', turnId: action.turnId, status: 'cancelled' };
  }

  function apply(action: StreamAction, at?: string): void {
    if (action.do === 'tool_start') runningCalls.add(action.callId);
    if (action.do === 'tool_done' || action.do === 'tool_background') runningCalls.delete(action.callId);
    core.apply(asCancelled(action), at);
    if (action.do === 'item_start' || action.do === 'tool_start') receipts.note(action.turnId, 'requested');
  }

  const isOpen = (turnId: string) => core.openTurns().includes(turnId);

  return {
    apply,
    begin(turnId, content, at) {
      core.apply({ do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content }, at);
      receipts.begin(turnId);
    },
    markTaken: (turnId) => receipts.note(turnId, 'taken'),
    open: core.openTurns,
    background: core.background,
    backgroundCount: core.backgroundCount,
    isToolRunning: () => runningCalls.size > 0,
    hasCompleted: () => hasCompleted,
    markCancelled(turnIds) {
      for (const turnId of turnIds) cancelled.add(turnId);
    },
    end(turnIds, how, flush) {
      for (const turnId of turnIds.filter(isOpen)) {
        for (const action of flush(turnId)) apply(action);
        if (how === 'cancelled') core.apply({ do: 'turn_done', turnId, status: 'cancelled' });
        else apply({ do: 'turn_error', turnId, code: how.code, message: how.message });
      }
    },
    breakBackground: core.breakBackground,
    whenEnded(turnIds) {
      const isOver = () => (turnIds === undefined ? core.openTurns().length === 0 : !turnIds.some(isOpen));
      return new Promise((resolve) => {
        const check = () => {
          if (!isOver()) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      });
    },
    notify: notices.report,
    close: () => record?.close(),
  };
}
