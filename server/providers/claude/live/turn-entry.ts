import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { Translation } from '../content/translation.ts';
import { ownTurnId, showCause } from '../content/turn-scope.ts';
import { takeCause } from './background.ts';
import { enterTurn, type LiveState, type StateInTurn } from './live-state.ts';
import { type NativeMessage, turnsNamedBy } from './native-messages.ts';

/**
 * The turn a message of the model belongs to: the one it names, else the running one, else one that the agent begins
 * by itself, after background work came to an end.
 */
export function enterTurnOf(state: LiveState, message: NativeMessage, messageId: string): Translation<StateInTurn> {
  const turnId = turnsNamedBy(message).at(-1) ?? state.turn?.turnId;
  if (turnId === undefined) return beginOwnTurn(state, ownTurnId(messageId));
  const isRunning = state.turn?.turnId === turnId;
  return { state: enterTurn(state, turnId), actions: isRunning ? [] : [startTurn(turnId, state.modelId)] };
}

export function startTurn(turnId: string, modelId: string | undefined): StreamAction {
  return { do: 'turn_start', turnId, ...(modelId !== undefined && { modelId }) };
}

function beginOwnTurn(state: LiveState, turnId: string): Translation<StateInTurn> {
  const cause = takeCause(state);
  const entered = { ...enterTurn(cause.state, turnId), ownTurnId: turnId };
  return { state: entered, actions: [startTurn(turnId, state.modelId), ...showCause(turnId, cause.text)] };
}
