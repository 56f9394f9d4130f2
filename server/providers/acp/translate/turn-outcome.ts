import { errorCatalogue } from '../../../../shared/errors.ts';
import type { Usage } from '../../../../shared/stream-events.ts';
import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { showHeldNotice } from './translate-notice.ts';
import { finishPlan } from './translate-plan.ts';
import { finishReplayedCalls, type ToolContext } from './translate-tool-call.ts';
import { andThen, type TurnState } from './turn-state.ts';

/** How an agent ended a turn. */
export type TurnOutcome =
  /** It answered the prompt. */
  | { readonly by: 'answer'; readonly stopReason: string; readonly usage?: Usage }
  /** It answered the prompt with an error. */
  | { readonly by: 'refusal'; readonly code: string; readonly message: string }
  | { readonly by: 'cancel' };

/** The last actions of a turn. A notice that is the reason for its failure is shown once, as that reason. */
export function endTurn(state: TurnState, outcome: TurnOutcome, context: ToolContext): readonly StreamAction[] {
  const failure = failureOf(state, outcome);
  const isReason = failure !== undefined && failure.message === unwrapErrorBody(state.heldNotice);
  return [
    ...flushTurn(isReason ? { ...state, heldNotice: undefined } : state, context),
    failure ?? toTurnDone(state.turnId, outcome),
  ];
}

/** What is still held back about a turn, without its end. */
export function flushTurn(state: TurnState, context: ToolContext): readonly StreamAction[] {
  const shown = showHeldNotice(state);
  const finished = andThen(shown, (current) => finishReplayedCalls(current, context));
  return andThen(finished, finishPlan).actions;
}

function failureOf(state: TurnState, outcome: TurnOutcome): Extract<StreamAction, { do: 'turn_error' }> | undefined {
  const fail = (code: string, message: string) => ({ do: 'turn_error', turnId: state.turnId, code, message }) as const;
  const reason = unwrapErrorBody(state.heldNotice);
  switch (outcome.by) {
    case 'refusal':
      return outcome.code === 'AGENT_PROTOCOL_ERROR' && reason !== undefined
        ? fail('MODEL_ERROR', reason)
        : fail(outcome.code, outcome.message);
    case 'answer':
      // The stop reason is `end_turn` whether the model failed or not.
      return state.hasFailed && outcome.stopReason !== 'cancelled'
        ? fail('MODEL_ERROR', reason ?? errorCatalogue.MODEL_ERROR.message)
        : undefined;
    case 'cancel':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

function toTurnDone(turnId: string, outcome: TurnOutcome): StreamAction {
  if (outcome.by !== 'answer') return { do: 'turn_done', turnId, status: 'cancelled' };
  const { stopReason, usage } = outcome;
  const status = stopReason === 'cancelled' ? 'cancelled' : 'completed';
  return { do: 'turn_done', turnId, status, stopReason, ...(usage && { usage }) };
}

/** Agents pass on the body of a failed model request as it is. Its message is in the field `error.message`. */
function unwrapErrorBody(notice: string | undefined): string | undefined {
  if (notice === undefined || !notice.startsWith('{')) return notice;
  try {
    const body: unknown = JSON.parse(notice);
    const message = (body as { error?: { message?: unknown } }).error?.message;
    return typeof message === 'string' && message !== '' ? message : notice;
  } catch {
    return notice;
  }
}
