import { isDeepStrictEqual } from 'node:util';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { type CallState, mergeReport, newCall, outputOf, outputTail, type ReadTerminal } from './call-state.ts';
import type { Dialect } from './dialect.ts';
import type { ToolReport } from './session-update.ts';
import { andThen, closeText, nextItem, putCall, type Step, type TurnState } from './turn-state.ts';

export interface ToolContext {
  readonly dialect: Dialect;
  readonly readTerminal: ReadTerminal;
  /** In a replay a call may be completed at once and get its output in a later report. */
  readonly isReplay: boolean;
}

export const STOPPED = { code: 'STOPPED', message: 'Stopped.' } as const;

/** `tool_call` and `tool_call_update` alike: agents send the second without the first, and the first twice. */
export function addToolReport(state: TurnState, report: ToolReport, context: ToolContext): Step {
  const callId = report.toolCallId;
  const known = state.calls.get(callId);
  const isBackgrounded = report._meta?.jetbrains?.air?.asyncTasks?.backgrounded === true;
  if (known?.isDone || (known === undefined && isBackgrounded)) return { state, actions: [] };
  const started =
    known === undefined
      ? andThen(closeText(state), (closed) => startCall(closed, report))
      : refineCall(state, known, isCutOff(known, report) ? { ...report, status: undefined } : report);
  const moved = isBackgrounded ? andThen(started, (current) => moveToBackground(current, callId, callId)) : started;
  return andThen(moved, (current) => finishCall(current, callId, context));
}

/** Not the end of a command: whoever started it has ended, and is not told any more what becomes of it. */
function isCutOff({ taskId, isStopped }: CallState, { status, _meta }: ToolReport): boolean {
  return taskId !== undefined && !isStopped && status === 'failed' && _meta?.terminal_exit?.exit_code === null;
}

/** The call goes on beside the conversation under this name. */
export function moveToBackground(state: TurnState, callId: string, taskId: string): Step {
  const call = state.calls.get(callId);
  if (call === undefined || call.isDone) return { state, actions: [] };
  const moved: CallState = { ...call, taskId };
  const { turnId } = state;
  return {
    state: withCall(state, callId, moved),
    actions: [{ do: 'tool_background', turnId, callId, taskId }, ...showTail(turnId, callId, moved)],
  };
}

/** The commands that have no result yet: the model, or the end of the turn, did not wait for them. */
export function leaveCommands(state: TurnState, { dialect, isReplay }: ToolContext): Step {
  if (!dialect.commandsOutliveTurns || isReplay) return { state, actions: [] };
  return {
    state,
    actions: waitedForCommands(state).flatMap((callId) => moveToBackground(state, callId, callId).actions),
  };
}

/** The ids of the commands that run while the model waits for them. */
export function waitedForCommands({ openCalls }: TurnState): string[] {
  return [...openCalls.commands];
}

/** Someone asked for the end of a call: if it does not come to its own end now, it was stopped. */
export function markStopped(state: TurnState, callId: string): TurnState {
  const call = state.calls.get(callId);
  return call === undefined ? state : withCall(state, callId, { ...call, isStopped: true });
}

/** Emits the results that a replay holds back until its turn ends. */
export function finishReplayedCalls(state: TurnState, context: ToolContext): Step {
  const live = { ...context, isReplay: false };
  const actions = [...state.calls.keys()].flatMap((callId) => finishCall(state, callId, live).actions);
  return { state, actions };
}

function startCall(state: TurnState, report: ToolReport): Step {
  const callId = report.toolCallId;
  const item = nextItem(state);
  const call = newCall(item.itemId, report);
  return {
    state: { ...withCall(state, callId, call), itemCount: state.itemCount + 1 },
    actions: [
      {
        do: 'tool_start',
        ...item,
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
  const callId = report.toolCallId;
  const call = mergeReport(known, report);
  const isRefined = !isDeepStrictEqual(shown(call), shown(known));
  const hasGrown = call.taskId !== undefined && call.status === 'open' && call.streamed !== known.streamed;
  return {
    state: withCall(state, callId, call),
    actions: [
      ...(isRefined ? [toRefinement(state.turnId, callId, call)] : []),
      ...(hasGrown ? showTail(state.turnId, callId, call) : []),
    ],
  };
}

const shown = ({ arguments: args, diffs, toolKind }: CallState) => ({ args, diffs, toolKind });

function toRefinement(turnId: string, callId: string, call: CallState): ActionOf<'tool_arguments'> {
  const { arguments: args, toolKind, diffs } = call;
  return { do: 'tool_arguments', turnId, callId, arguments: args, toolKind, ...(diffs && { diffs }) };
}

function showTail(turnId: string, callId: string, call: CallState): StreamAction[] {
  return call.streamed === '' ? [] : [{ do: 'tool_output', turnId, callId, output: outputTail(call) }];
}

function finishCall(state: TurnState, callId: string, { isReplay, readTerminal }: ToolContext): Step {
  const call = state.calls.get(callId);
  if (call === undefined || call.status === 'open' || call.isDone || isReplay) return { state, actions: [] };
  const isError = call.status === 'failed';
  const done: StreamAction = {
    do: 'tool_done',
    turnId: state.turnId,
    callId,
    ...outputOf(call, readTerminal),
    isError,
    ...(isError && call.isStopped && { failure: STOPPED }),
  };
  return { state: withCall(state, callId, { ...call, isDone: true }), actions: [done] };
}

function withCall(state: TurnState, callId: string, call: CallState): TurnState {
  putCall(state, callId, call);
  return state;
}
