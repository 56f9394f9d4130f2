import { errorCatalogue } from '../../../../shared/errors.ts';
import type { Usage } from '../../../../shared/stream-events.ts';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { NOT_SIGNED_IN } from '../content/notices.ts';
import { type Translation, translation } from '../content/translation.ts';
import { dropCause } from './background.ts';
import { addNotice, type LiveState, leaveTurn } from './live-state.ts';
import { type NativeMessageOf, turnsNamedBy } from './native-messages.ts';

type ResultMessage = NativeMessageOf<'result'>;

/** The end of a turn, and of every message that was taken into it. */
export function translateResult(state: LiveState, message: ResultMessage): Translation<LiveState> {
  const current = state.turn?.turnId;
  const named = [...turnsNamedBy(message), current, state.ownTurnId].filter((turnId) => turnId !== undefined);
  const told = message.is_error ? translation(state) : addNotice(state, 'notice', state.apiError ?? '');
  const ends = [...new Set(named)].map((turnId) => end(turnId, message, state, turnId === (current ?? named[0])));
  return translation(leaveTurn(withoutCauseOf(told.state, message)), ...told.actions, ...ends);
}

/** A turn that the agent began by itself ends without an answer where another one follows that answers for both. */
function withoutCauseOf(state: LiveState, { origin }: ResultMessage): LiveState {
  return origin?.kind === 'task-notification' ? dropCause(state, origin.runId) : state;
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

interface TurnFailure {
  readonly code: 'MODEL_ERROR' | 'AGENT_NOT_SIGNED_IN';
  readonly message: string;
}

/** Why a turn failed: as the agent says it, where that is something a user can read. */
function explainFailedTurn(result: ResultMessage, apiError: string | undefined): TurnFailure {
  const message = messageOf(result) || apiError || '';
  const status = result.subtype === 'success' ? (result.api_error_status ?? null) : null;
  if (status === 401 || /not logged in|please run \/login|invalid api key/i.test(message)) {
    return { code: 'AGENT_NOT_SIGNED_IN', message: NOT_SIGNED_IN };
  }
  return { code: 'MODEL_ERROR', message: message || describeEnd(result) };
}

function messageOf(result: ResultMessage): string {
  if (result.subtype === 'success') return result.result.trim();
  return result.errors
    .filter((line) => !line.startsWith('[ede_diagnostic]'))
    .join('\n')
    .trim();
}

function describeEnd({ subtype }: ResultMessage): string {
  switch (subtype) {
    case 'error_max_turns':
      return 'Claude Code reached its limit of model calls for one message. Send "continue" to go on.';
    case 'error_max_budget_usd':
      return 'Claude Code reached its spending limit. Raise the limit in its settings, then go on.';
    case 'error_max_structured_output_retries':
    case 'error_during_execution':
    case 'success':
      return errorCatalogue.MODEL_ERROR.message;
    default:
      subtype satisfies never;
      return errorCatalogue.MODEL_ERROR.message;
  }
}
