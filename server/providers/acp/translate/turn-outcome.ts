import { errorCatalogue } from '../../../../shared/errors.ts';
import type { Usage } from '../../../../shared/stream-events.ts';
import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { showHeldNotice } from './translate-notice.ts';
import { finishPlan } from './translate-plan.ts';
import { finishReplayedCalls, type ToolContext } from './translate-tool-call.ts';
import { andThen, type TurnState } from './turn-state.ts';

/** How a turn came to its end. */
export type TurnOutcome =
  /** The agent answered the prompt. */
  | { readonly by: 'answer'; readonly stopReason: string; readonly usage?: Usage }
  /** The agent answered the prompt with an error. */
  | { readonly by: 'refusal'; readonly code: string; readonly message: string }
  /** There will be no answer: the process is gone, or the turn was given up. */
  | { readonly by: 'break'; readonly code: string; readonly message: string }
  | { readonly by: 'cancel' };

/** The last actions of a turn. A notice that is the reason for its failure is told once, as that reason. */
export function endTurn(state: TurnState, outcome: TurnOutcome, context: ToolContext): readonly StreamAction[] {
  const reason = failureOf(state, outcome);
  const isTold = reason !== undefined && reason.message === readable(state.heldNotice);
  const told = showHeldNotice(isTold ? { ...state, heldNotice: undefined } : state);
  const finished = andThen(
    andThen(told, (current) => finishReplayedCalls(current, context)),
    finishPlan,
  );
  return [...finished.actions, reason ?? toTurnDone(state.turnId, outcome)];
}

function failureOf(state: TurnState, outcome: TurnOutcome): Extract<StreamAction, { do: 'turn_error' }> | undefined {
  const fail = (code: string, message: string) => ({ do: 'turn_error', turnId: state.turnId, code, message }) as const;
  const words = readable(state.heldNotice);
  switch (outcome.by) {
    case 'break':
      return fail(outcome.code, outcome.message);
    case 'refusal':
      return outcome.code === 'AGENT_PROTOCOL_ERROR' && words !== undefined
        ? fail('MODEL_ERROR', words)
        : fail(outcome.code, outcome.message);
    case 'answer':
      // A model that failed ends in `end_turn` like one that did not.
      return state.hasFailed && outcome.stopReason !== 'cancelled'
        ? fail('MODEL_ERROR', words ?? errorCatalogue.MODEL_ERROR.message)
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

/** Model endpoints answer in JSON, which agents pass on as it is. */
function readable(notice: string | undefined): string | undefined {
  if (notice === undefined || !notice.startsWith('{')) return notice;
  try {
    const body: unknown = JSON.parse(notice);
    const message = (body as { error?: { message?: unknown } }).error?.message;
    return typeof message === 'string' && message !== '' ? message : notice;
  } catch {
    return notice;
  }
}
