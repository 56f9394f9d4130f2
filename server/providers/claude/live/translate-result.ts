import type { Usage } from '../../../../shared/stream-events.ts';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { explainFailedTurn } from '../process/claude-errors.ts';
import { type LiveState, leaveTurn } from './live-state.ts';
import { type NativeMessageOf, turnsNamedBy } from './native-messages.ts';
import { tell } from './tell.ts';
import { type Translation, translation } from '../content/translation.ts';

type ResultMessage = NativeMessageOf<'result'>;

/** The end of a turn, and of every message that was taken into it. */
export function translateResult(state: LiveState, message: ResultMessage): Translation<LiveState> {
  const current = state.turn?.turnId;
  const named = [...turnsNamedBy(message), current, state.ownTurnId].filter((turnId) => turnId !== undefined);
  const told = message.is_error ? translation(state) : tell(state, 'notice', state.apiError ?? '');
  const ends = [...new Set(named)].map((turnId) => end(turnId, message, state, turnId === (current ?? named[0])));
  return translation(leaveTurn(told.state), ...told.actions, ...ends);
}

/** Only the turn that the answer belongs to has the usage, or the sum over turns would be too high. */
function end(turnId: string, message: ResultMessage, state: LiveState, isAnswered: boolean): StreamAction {
  if (isInterruption(message)) return { do: 'turn_done', turnId, status: 'cancelled', ...facts(message, isAnswered) };
  if (!message.is_error) return { do: 'turn_done', turnId, status: 'completed', ...facts(message, isAnswered) };
  return { do: 'turn_error', turnId, ...explainFailedTurn(message, state.apiError) };
}

function isInterruption({ terminal_reason: reason }: ResultMessage): boolean {
  return reason === 'aborted_streaming' || reason === 'aborted_tools';
}

function facts(message: ResultMessage, isAnswered: boolean): Pick<ActionOf<'turn_done'>, 'usage' | 'stopReason'> {
  return {
    ...(isAnswered && { usage: toUsage(message.usage) }),
    ...(message.stop_reason !== null && { stopReason: message.stop_reason }),
  };
}

function toUsage(usage: ResultMessage['usage']): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
  };
}
