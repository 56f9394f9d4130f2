import { isDeepStrictEqual } from 'node:util';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { type CallState, mergeReport, newCall, outputOf, type ReadTerminal } from './call-state.ts';
import type { ToolReport } from './session-update.ts';
import { andThen, closeText, nextItemId, type Step, type TurnState } from './turn-state.ts';

export interface ToolContext {
  readonly readTerminal: ReadTerminal;
  /** In a replay a call may be completed at once and get its output in a later report. */
  readonly isReplay: boolean;
}

/** For `tool_call` and `tool_call_update` alike: agents send the second without the first, and the first twice. */
export function addToolReport(state: TurnState, report: ToolReport, context: ToolContext): Step {
  const known = state.calls.get(report.toolCallId);
  if (known?.isDone) return { state, actions: [] };
  if (known === undefined) {
    const started = andThen(closeText(state), (closed) => startCall(closed, report));
    return andThen(started, (current) => finishCall(current, report.toolCallId, context));
  }
  const refined = refineCall(state, known, report);
  return andThen(refined, (current) => finishCall(current, report.toolCallId, context));
}

/** Emits the results that a replay holds back until its turn ends. */
export function finishReplayedCalls(state: TurnState, context: ToolContext): Step {
  const live = { ...context, isReplay: false };
  const actions = [...state.calls.keys()].flatMap((callId) => finishCall(state, callId, live).actions);
  return { state, actions };
}

function startCall(state: TurnState, report: ToolReport): Step {
  const callId = report.toolCallId;
  const call = newCall(nextItemId(state), report);
  return {
    state: { ...withCall(state, callId, call), itemCount: state.itemCount + 1 },
    actions: [
      {
        do: 'tool_start',
        turnId: state.turnId,
        itemId: call.itemId,
        callId,
        name: call.name,
        arguments: call.arguments,
        toolKind: call.toolKind,
        ...(call.diffs && { diffs: call.diffs }),
      },
    ],
  };
}

function refineCall(state: TurnState, known: CallState, report: ToolReport): Step {
  const call = mergeReport(known, report);
  return {
    state: withCall(state, report.toolCallId, call),
    actions: isDeepStrictEqual(shown(call), shown(known)) ? [] : [toRefinement(state.turnId, report.toolCallId, call)],
  };
}

const shown = ({ arguments: args, diffs, toolKind }: CallState) => ({ args, diffs, toolKind });

function toRefinement(turnId: string, callId: string, call: CallState): ActionOf<'tool_arguments'> {
  const { arguments: args, toolKind, diffs } = call;
  return { do: 'tool_arguments', turnId, callId, arguments: args, toolKind, ...(diffs && { diffs }) };
}

function finishCall(state: TurnState, callId: string, { isReplay, readTerminal }: ToolContext): Step {
  const call = state.calls.get(callId);
  if (call === undefined || call.status === 'open' || call.isDone || isReplay) return { state, actions: [] };
  const done: StreamAction = {
    do: 'tool_done',
    turnId: state.turnId,
    callId,
    ...outputOf(call, readTerminal),
    isError: call.status === 'failed',
  };
  return { state: withCall(state, callId, { ...call, isDone: true }), actions: [done] };
}

function withCall(state: TurnState, callId: string, call: CallState): TurnState {
  state.calls.set(callId, call);
  return state;
}
