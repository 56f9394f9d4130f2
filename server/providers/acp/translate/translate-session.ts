import type { StreamAction } from '../../../streaming/stream-actions.ts';
import {
  andThen,
  type NoticeUpdate,
  type SessionContext,
  type SessionEvent,
  type SessionState,
  type SessionStep,
  type SubagentUpdate,
  unchanged,
} from './session-state.ts';
import { modelOf, type SessionUpdate } from './session-update.ts';
import { noticeText } from './translate-notice.ts';
import { addSubagentUpdate, isSubagentStart, startSubagent, updateSubagent } from './translate-subagent.ts';
import { addToolReport, leaveCommands, markStopped } from './translate-tool-call.ts';
import { translateUpdate } from './translate-update.ts';
import { endTurn, flushTurn, type TurnOutcome } from './turn-outcome.ts';
import { newTurn, type TurnState } from './turn-state.ts';

const DONE: TurnOutcome = { by: 'answer', stopReason: 'end_turn' };

/** One event of a session, as actions for the core. */
export function translateSession(state: SessionState, event: SessionEvent, context: SessionContext): SessionStep {
  switch (event.kind) {
    case 'opened':
      return { state: { ...state, modelId: event.modelId ?? state.modelId }, actions: [] };
    case 'prompted':
      return andThen(endRunning(state, DONE, context), (current) => begin(current, event.turnId, true, context));
    case 'update':
      return event.from === undefined
        ? addUpdate(state, event.update, context)
        : { state, actions: addSubagentUpdate(state.subagents, event.from, event.update, context) };
    case 'answered':
      return answer(state, event.turnId, event.outcome, context);
    case 'interrupted':
      return interrupt(state, context);
    case 'stopping':
      return markTaskStopped(state, event.taskId);
    case 'ended':
      return abandon(state, event.turnId, context);
    case 'quiet':
      return state.running?.isPrompted === false ? endRunning(state, DONE, context) : unchanged(state);
    default:
      return event satisfies never;
  }
}

function begin(state: SessionState, turnId: string, isPrompted: boolean, context: SessionContext): SessionStep {
  const { modelId, waitingNotices } = state;
  const start: StreamAction = { do: 'turn_start', turnId, ...(modelId !== undefined && { modelId }) };
  const running = { turn: newTurn(turnId), isPrompted, isInterrupted: false, endsWithIdle: false };
  const started: SessionStep = { state: { ...state, running, waitingNotices: [] }, actions: [start] };
  return waitingNotices.reduce((step, notice) => andThen(step, (current) => report(current, notice, context)), started);
}

function addUpdate(state: SessionState, update: SessionUpdate, context: SessionContext): SessionStep {
  if (update.sessionUpdate === 'config_option_update') {
    return unchanged({ ...state, modelId: modelOf(update) ?? state.modelId });
  }
  if (update.sessionUpdate === 'subagent_update') return addSubagent(state, update, context);
  const lasting = lastingTurn(state, update);
  if (lasting !== undefined) return reportLasting(state, lasting, update, context);
  if (state.running !== undefined) return andThen(report(state, update, context), endOrGoOn(update, context));
  if (update.sessionUpdate === 'notice') return holdNotice(state, update);
  if (state.abandoned.size > 0 || isLate(state, update)) return unchanged(state);
  const isActive = context.dialect.reportsActivity && threadStatus(update) === 'active';
  if (!isActive && !isContent(update)) return unchanged(state);
  const reported = andThen(beginOwn(state, context), (current) => report(current, update, context));
  return isActive ? andThen(reported, awaitIdle) : reported;
}

function beginOwn(state: SessionState, context: SessionContext): SessionStep {
  return begin(state, context.newTurnId(), false, context);
}

/** A turn that the agent began by itself ends when the agent says that it is idle. */
function endOrGoOn(update: SessionUpdate, context: SessionContext): (state: SessionState) => SessionStep {
  return (state) => {
    const { running } = state;
    if (running === undefined || running.isPrompted) return unchanged(state);
    const status = threadStatus(update);
    if (status === 'active') return awaitIdle(state);
    if (status !== 'idle' && status !== 'systemError') return unchanged(state);
    return endRunning(state, running.isInterrupted ? { by: 'cancel' } : DONE, context);
  };
}

function awaitIdle(state: SessionState): SessionStep {
  return unchanged(state.running ? { ...state, running: { ...state.running, endsWithIdle: true } } : state);
}

/** A sub-agent that is set to work while no turn runs begins one; news of those that are known do not. */
function addSubagent(state: SessionState, update: SubagentUpdate, context: SessionContext): SessionStep {
  const { subagents } = state;
  if (!isSubagentStart(subagents, update)) return { state, actions: updateSubagent(subagents, update, context) };
  if (state.running === undefined && state.abandoned.size > 0) return unchanged(state);
  const begun = state.running === undefined ? beginOwn(state, context) : unchanged(state);
  return andThen(begun, (current) => {
    if (current.running === undefined) return unchanged(current);
    const { state: turn, actions } = startSubagent(current.running.turn, subagents, update);
    const started = { state: { ...current, running: { ...current.running, turn } }, actions };
    return andThen(started, (next) => ({ state: next, actions: updateSubagent(subagents, update, context) }));
  });
}

function lastingTurn({ lastingCalls }: SessionState, update: SessionUpdate): TurnState | undefined {
  return 'toolCallId' in update ? lastingCalls.get(update.toolCallId) : undefined;
}

/** About a call that goes on after its turn. */
function reportLasting(
  state: SessionState,
  lasting: TurnState,
  update: SessionUpdate,
  context: SessionContext,
): SessionStep {
  const { state: turn, actions } =
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
      ? addToolReport(lasting, update, context)
      : translateUpdate(lasting, update, context);
  if ('toolCallId' in update) sortCall(state, turn, update.toolCallId);
  return { state, actions };
}

function markTaskStopped(state: SessionState, taskId: string): SessionStep {
  const turns = new Set([...state.lastingCalls.values(), ...[...state.subagents.values()].map(({ turn }) => turn)]);
  for (const turn of state.running ? turns.add(state.running.turn) : turns) {
    const callId = turn.openCalls.tasks.get(taskId);
    if (callId !== undefined) markStopped(turn, callId);
  }
  return unchanged(state);
}

/** Within the running turn. */
function report(state: SessionState, update: SessionUpdate, context: SessionContext): SessionStep {
  const { running } = state;
  if (running === undefined) return unchanged(state);
  const { state: turn, actions } = translateUpdate(running.turn, update, context);
  return { state: turn === running.turn ? state : { ...state, running: { ...running, turn } }, actions };
}

function answer(state: SessionState, turnId: string, outcome: TurnOutcome, context: SessionContext): SessionStep {
  const { running } = state;
  if (running?.turn.turnId === turnId) {
    return endRunning(state, running.isInterrupted ? asCancelled(outcome) : outcome, context);
  }
  const abandoned = new Set(state.abandoned);
  abandoned.delete(turnId);
  return unchanged({ ...state, abandoned });
}

/** A prompt that was cancelled is cancelled, whatever the agent answers. */
function asCancelled(outcome: TurnOutcome): TurnOutcome {
  return outcome.by === 'answer' ? { ...outcome, stopReason: 'cancelled' } : { by: 'cancel' };
}

/** In a turn that the agent began by itself there may be nothing to wait for. */
function interrupt(state: SessionState, context: SessionContext): SessionStep {
  const { running } = state;
  if (running === undefined) return unchanged(state);
  if (!running.isPrompted && !running.endsWithIdle) return endRunning(state, { by: 'cancel' }, context);
  return unchanged({ ...state, running: { ...running, isInterrupted: true } });
}

function abandon(state: SessionState, turnId: string, context: SessionContext): SessionStep {
  const { running } = state;
  if (running?.turn.turnId !== turnId) return unchanged(state);
  const actions = flushTurn(running.turn, context);
  const abandoned = running.isPrompted ? new Set(state.abandoned).add(turnId) : state.abandoned;
  return { state: { ...withoutRunning(state, running.turn, true), abandoned }, actions };
}

function endRunning(state: SessionState, outcome: TurnOutcome, context: SessionContext): SessionStep {
  const turn = state.running?.turn;
  if (turn === undefined) return unchanged(state);
  const isCutShort = outcome.by !== 'answer' || outcome.stopReason === 'cancelled';
  // A command that the model waited for when it was cut short is given up with the turn.
  const left = isCutShort ? { state: turn, actions: [] } : leaveCommands(turn, context);
  return {
    state: withoutRunning(state, left.state, isCutShort),
    actions: [...left.actions, ...endTurn(left.state, outcome, context)],
  };
}

/** Calls of a turn that has ended are over, or go on in the background. */
function sortCalls(state: SessionState, turn: TurnState): void {
  for (const callId of turn.calls.keys()) sortCall(state, turn, callId);
}

function sortCall({ lastingCalls, pastCalls }: SessionState, turn: TurnState, callId: string): void {
  const { taskId, isDone } = turn.calls.get(callId) ?? {};
  const isLasting = taskId !== undefined && !isDone;
  if (isLasting) lastingCalls.set(callId, turn);
  else {
    lastingCalls.delete(callId);
    pastCalls.add(callId);
  }
}

function withoutRunning(state: SessionState, turn: TurnState, isCutShort: boolean): SessionState {
  sortCalls(state, turn);
  return { ...state, running: undefined, cutMessageId: isCutShort ? turn.text?.messageId : undefined };
}

function holdNotice(state: SessionState, notice: NoticeUpdate): SessionStep {
  const text = noticeText(notice);
  if (state.seenNotices.has(text)) return unchanged(state);
  state.seenNotices.add(text);
  return unchanged({ ...state, waitingNotices: [...state.waitingNotices, notice] });
}

/** Something to show, not only a change of state. */
function isContent(update: SessionUpdate): boolean {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.content.trim() !== '';
    case 'tool_call':
    case 'plan':
      return true;
    case 'tool_call_update':
      return update.status != null;
    default:
      return false;
  }
}

/** About a turn that has ended. */
function isLate({ pastCalls, cutMessageId }: SessionState, update: SessionUpdate): boolean {
  switch (update.sessionUpdate) {
    case 'tool_call':
    case 'tool_call_update':
      return pastCalls.has(update.toolCallId);
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.messageId != null && update.messageId === cutMessageId;
    default:
      return false;
  }
}

/** Codex reports when it begins to work and when it has nothing more to do. */
function threadStatus(update: SessionUpdate): string | undefined {
  return update.sessionUpdate === 'session_info_update' ? update._meta?.codex?.threadStatus?.type : undefined;
}
