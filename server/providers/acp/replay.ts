import type { SessionId } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { collectHistory } from '../../streaming/history.ts';
import type { ActionOf, StreamAction, TimedAction } from '../../streaming/stream-actions.ts';
import type { Dialect } from './dialect.ts';
import type { SessionUpdate } from './session-update.ts';
import { type ReplayedTurn, splitReplay } from './split-replay.ts';
import { type TranslationContext, translateUpdate } from './translate-update.ts';
import { endTurn, type TurnOutcome } from './turn-outcome.ts';
import { newTurn, type TurnState } from './turn-state.ts';
import { timeOfId } from './uuid-time.ts';

export interface ReplayOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  /** Turns are named after it and their place, so that ids are the same at every load. */
  readonly nativeId: string;
  readonly dialect: Dialect;
  readonly now: () => string;
}

/** What the agent reported while it loaded a session, as finished items in order. */
export function replayHistory(updates: readonly SessionUpdate[], options: ReplayOptions): UpsertObject[] {
  const { nativeId, dialect, now } = options;
  const context: TranslationContext = { dialect, readTerminal: () => undefined, isReplay: true };
  let time = timeOfId(nativeId) ?? now();
  const actions = splitReplay(updates, dialect).flatMap((turn, index): TimedAction[] => {
    time = timeOfId(turn.question?.messageId) ?? time;
    const sourceTimestamp = time;
    return turnActions(turn, `${nativeId}:t${index + 1}`, context).map((action) => ({ action, sourceTimestamp }));
  });
  return collectHistory(actions, options);
}

function turnActions({ question, reports }: ReplayedTurn, turnId: string, context: TranslationContext): StreamAction[] {
  const actions = question === undefined ? [] : [userMessage(turnId, question.content)];
  let state = newTurn(turnId);
  for (const report of reports) {
    const step = translateUpdate(state, report, context);
    state = step.state;
    actions.push(...step.actions);
  }
  actions.push(...endTurn(state, outcomeOf(state), context));
  return wholeMessages(actions);
}

/** In a replay nothing is being written: a message that is there at once costs the core a third of one it gathers. */
function wholeMessages(actions: readonly StreamAction[]): StreamAction[] {
  const result: StreamAction[] = [];
  let message: ActionOf<'message'> | undefined;
  for (const action of actions) {
    if (action.do === 'item_start' && action.kind === 'message') {
      const { turnId, itemId, content = '' } = action;
      message = { do: 'message', turnId, itemId, origin: 'agent', content };
      result.push(message);
    } else if (action.do === 'item_delta' && action.itemId === message?.itemId) {
      message.content += action.text;
    } else if (action.do !== 'item_done' || action.itemId !== message?.itemId) {
      result.push(action);
    }
  }
  return result;
}

function userMessage(turnId: string, content: string): StreamAction {
  return { do: 'message', turnId, itemId: `${turnId}:user`, origin: 'user', content };
}

/** A replay does not tell how a turn ended; one with a call that never got its result was cut short. */
function outcomeOf(state: TurnState): TurnOutcome {
  const isCutShort = [...state.calls.values()].some(({ status }) => status === 'open');
  return isCutShort ? { by: 'cancel' } : { by: 'answer', stopReason: 'end_turn' };
}
