import type { SessionId } from '../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { Clock } from '../clock.ts';
import type { Batching } from './batching.ts';
import { createItemRegister } from './item-register.ts';
import type { ItemFailure, TurnEnding } from './open-item.ts';
import type { ActionOf, StreamAction } from './stream-actions.ts';
import { createTextItem, type TextEmission, type TextGrowth } from './text-item.ts';
import { createToolCalls } from './tool-calls.ts';
import { createTurns, type Turn } from './turns.ts';
import { toMessageUpsert, toThinkingUpsert, toToolCallUpsert } from './upsert-shape.ts';

export { type Batching, LIVE_BATCHING, PROCESSOR_BATCHING } from './batching.ts';

export interface StreamCoreOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly clock: Clock;
  readonly batching: Batching;
  /** Whether to emit an `update` with the final arguments of a call before its result. */
  readonly emitArgumentUpdates: boolean;
  /** Receives a new object each time. Must not throw. */
  readonly onUpsert: (upsert: UpsertObject, growth?: TextGrowth) => void;
  /** Must not throw. */
  readonly onTurn: (event: TurnEvent) => void;
}

export interface BackgroundWork {
  readonly itemId: string;
  readonly callId: string;
  readonly taskId: string;
}

/** Buffers, batches, correlates and ends what the translations report. One per session. */
export interface StreamCore {
  /** `sourceTimestamp`: the time of the native event; defaults to now. */
  apply(action: StreamAction, sourceTimestamp?: string): void;
  /** Open turns, in the order in which they began. */
  openTurns(): readonly string[];
  /** Running background work, in the order in which it began. */
  background(): readonly BackgroundWork[];
  backgroundCount(): number;
  /** Ends all background work as `error`, keeping its output. */
  breakBackground(reason: ItemFailure): void;
  /**
   * Ends all open items as `error`, keeping their text, and all open turns with `turn_error`. Later actions are
   * ignored.
   */
  destroy(reason: ItemFailure): void;
}

export function createStreamCore(options: StreamCoreOptions): StreamCore {
  const { sessionId, clock, batching, emitArgumentUpdates: emitUpdates, onUpsert, onTurn } = options;
  const turns = createTurns(options);
  const items = createItemRegister(turns);
  const stamp = () => ({ sessionId, emittedAt: clock.now() });
  let isDestroyed = false;

  const show = (turn: Turn | undefined, upsert: UpsertObject, growth?: TextGrowth) => {
    if (turn !== undefined) turns.announce(turn);
    onUpsert(upsert, growth);
  };

  const calls = createToolCalls({
    turns,
    items,
    emitUpdates,
    emit: (turn, emission) => show(turn, toToolCallUpsert(emission, stamp())),
  });

  function addMessage(action: ActionOf<'message'>, sourceTimestamp: string): void {
    const { turnId, itemId, parentItemId, origin, content } = action;
    const turn = items.begin(turnId, itemId, parentItemId);
    if (turn === undefined) return;
    const item = { turnId, itemId, parentItemId };
    const emission: TextEmission = { item, status: 'complete', sourceTimestamp, content, final: { origin } };
    // The user's message is shown before its turn starts.
    show(origin === 'user' ? undefined : turn, toMessageUpsert(emission, stamp()));
  }

  function startText(action: ActionOf<'item_start'>, sourceTimestamp: string): void {
    const { turnId, itemId, parentItemId, kind, content = '' } = action;
    const turn = items.begin(turnId, itemId, parentItemId);
    if (turn === undefined) return;
    const item = createTextItem({
      identity: { turnId, itemId, parentItemId },
      clock,
      batching,
      emit: (emission) =>
        show(
          turn,
          kind === 'message'
            ? toMessageUpsert(emission, stamp())
            : toThinkingUpsert(emission, stamp(), turn.providerId),
          emission.growth,
        ),
    });
    items.add(item);
    item.append(content, sourceTimestamp);
  }

  function appendText({ itemId, text }: ActionOf<'item_delta'>, sourceTimestamp: string): void {
    const item = items.find(itemId);
    if (item?.kind === 'text') item.append(text, sourceTimestamp);
  }

  function finishText({ itemId, ...final }: ActionOf<'item_done'>, sourceTimestamp: string): void {
    const item = items.find(itemId);
    if (item?.kind !== 'text') return;
    items.take(itemId);
    item.complete(final, sourceTimestamp);
  }

  function endTurn(turnId: string, ending: TurnEnding, sourceTimestamp: string, event: TurnEvent): void {
    const turn = turns.enter(turnId);
    if (turn === undefined) return;
    turns.announce(turn);
    turns.leave(turn);
    for (const item of items.takeAllOf(turnId)) item.endWithTurn(ending, sourceTimestamp);
    onTurn(event);
  }

  function completeTurn(action: ActionOf<'turn_done'>, sourceTimestamp: string): void {
    const { turnId, status, usage, stopReason } = action;
    endTurn(turnId, status, sourceTimestamp, {
      type: 'turn_complete',
      turnId,
      sessionId,
      status,
      ...(usage !== undefined && { usage: { ...usage } }),
      ...(stopReason !== undefined && { stopReason }),
    });
  }

  function failTurn(turnId: string, { code, message }: ItemFailure, sourceTimestamp: string): void {
    const event: TurnEvent = { type: 'turn_error', turnId, sessionId, errorCode: code, errorMessage: message };
    endTurn(turnId, { code, message }, sourceTimestamp, event);
  }

  function startTurn({ turnId, ...facts }: ActionOf<'turn_start'>): void {
    const turn = turns.enter(turnId);
    if (turn !== undefined) turns.announce(turn, facts);
  }

  function run(action: StreamAction, at: string): void {
    switch (action.do) {
      case 'turn_start':
        startTurn(action);
        break;
      case 'message':
        addMessage(action, at);
        break;
      case 'item_start':
        startText(action, at);
        break;
      case 'item_delta':
        appendText(action, at);
        break;
      case 'item_done':
        finishText(action, at);
        break;
      case 'item_error':
        items.take(action.itemId)?.fail(action, at);
        break;
      case 'item_cancel':
        items.take(action.itemId)?.drop();
        break;
      case 'tool_start':
        calls.start(action, at);
        break;
      case 'tool_arguments':
        calls.refine(action, at);
        break;
      case 'tool_done':
        calls.finish(action, at);
        break;
      case 'tool_background':
        calls.moveToBackground(action, at);
        break;
      case 'tool_output':
        calls.showOutput(action, at);
        break;
      case 'turn_done':
        completeTurn(action, at);
        break;
      case 'turn_error':
        failTurn(action.turnId, action, at);
        break;
      default:
        action satisfies never;
    }
  }

  return {
    apply(action, sourceTimestamp = clock.now()) {
      if (!isDestroyed) run(action, sourceTimestamp);
    },
    openTurns: () => turns.open().map((turn) => turn.turnId),
    background: () => items.background().map(({ itemId, callId, taskId = '' }) => ({ itemId, callId, taskId })),
    backgroundCount: items.backgroundCount,
    breakBackground: (reason) => calls.breakBackground(reason, clock.now()),
    destroy(reason) {
      if (isDestroyed) return;
      isDestroyed = true;
      const now = clock.now();
      for (const { turnId } of turns.open()) failTurn(turnId, reason, now);
      calls.breakBackground(reason, now);
    },
  };
}
