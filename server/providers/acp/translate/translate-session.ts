import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { modelOf, type SessionUpdate } from './session-update.ts';
import { noticeText } from './translate-notice.ts';
import { type TranslationContext, translateUpdate } from './translate-update.ts';
import { endTurn, flushTurn, type TurnOutcome } from './turn-outcome.ts';
import { newTurn, type TurnState } from './turn-state.ts';

/** What happens between us and the agent in one session. */
export type SessionEvent =
  /** The agent has the session in memory. */
  | { readonly kind: 'opened'; readonly modelId: string | undefined }
  | { readonly kind: 'prompted'; readonly turnId: string }
  | { readonly kind: 'update'; readonly update: SessionUpdate }
  | { readonly kind: 'answered'; readonly turnId: string; readonly outcome: TurnOutcome }
  /** The agent was asked to stop. */
  | { readonly kind: 'interrupted' }
  /** The turn was ended here, whatever the agent makes of it. */
  | { readonly kind: 'ended'; readonly turnId: string }
  /** Nothing was reported for a while in a turn that the agent began by itself. */
  | { readonly kind: 'quiet' };

export interface SessionContext extends TranslationContext {
  /** For turns that the agent begins by itself. */
  readonly newTurnId: () => string;
}

type NoticeUpdate = Extract<SessionUpdate, { sessionUpdate: 'notice' }>;

interface RunningTurn {
  readonly turn: TurnState;
  /**
   * False for a turn that the agent began by itself: it works towards a goal, or is late with the end of a turn. Such
   * reports get a turn of their own, so that nothing is lost and a turn that has ended does not change.
   */
  readonly isPrompted: boolean;
  readonly isInterrupted: boolean;
}

/** What the translation remembers of a session. A state that was passed in must not be used again. */
export interface SessionState {
  readonly modelId: string | undefined;
  readonly running: RunningTurn | undefined;
  /** Prompted turns that were ended here. Until the agent answers their prompts, its reports belong to them. */
  readonly abandoned: ReadonlySet<string>;
  /** Calls of turns that have ended, updated in place. Late reports about them change nothing. */
  readonly pastCalls: Set<string>;
  /** The message that a turn was cut short in. The rest of it is not shown. */
  readonly cutMessageId: string | undefined;
  /** Notices that came between turns. They are shown in the next one. */
  readonly waitingNotices: readonly NoticeUpdate[];
  /** The texts of all notices that came between turns, updated in place. Each is shown once in a session. */
  readonly seenNotices: Set<string>;
}

export interface SessionStep {
  readonly state: SessionState;
  readonly actions: readonly StreamAction[];
}

export function newSession(seenNotices: Set<string>): SessionState {
  return {
    modelId: undefined,
    running: undefined,
    abandoned: new Set(),
    pastCalls: new Set(),
    cutMessageId: undefined,
    waitingNotices: [],
    seenNotices,
  };
}

const DONE: TurnOutcome = { by: 'answer', stopReason: 'end_turn' };

/** One event of a session, as actions for the core. */
export function translateSession(state: SessionState, event: SessionEvent, context: SessionContext): SessionStep {
  switch (event.kind) {
    case 'opened':
      return { state: { ...state, modelId: event.modelId ?? state.modelId }, actions: [] };
    case 'prompted':
      return andThen(endRunning(state, DONE, context), (current) => begin(current, event.turnId, true, context));
    case 'update':
      return addUpdate(state, event.update, context);
    case 'answered':
      return answer(state, event.turnId, event.outcome, context);
    case 'interrupted':
      return interrupt(state, context);
    case 'ended':
      return abandon(state, event.turnId, context);
    case 'quiet':
      return state.running?.isPrompted === false ? endRunning(state, DONE, context) : unchanged(state);
    default:
      return event satisfies never;
  }
}

/** A turn runs that the agent began by itself, and it waits for nothing: no call is open. */
export function mayBeOver({ running }: SessionState): boolean {
  if (running === undefined || running.isPrompted) return false;
  return ![...running.turn.calls.values()].some(({ status }) => status === 'open');
}

function begin(state: SessionState, turnId: string, isPrompted: boolean, context: SessionContext): SessionStep {
  const { modelId, waitingNotices } = state;
  const start: StreamAction = { do: 'turn_start', turnId, ...(modelId !== undefined && { modelId }) };
  const running = { turn: newTurn(turnId), isPrompted, isInterrupted: false };
  const started: SessionStep = { state: { ...state, running, waitingNotices: [] }, actions: [start] };
  return waitingNotices.reduce((step, notice) => andThen(step, (current) => report(current, notice, context)), started);
}

function addUpdate(state: SessionState, update: SessionUpdate, context: SessionContext): SessionStep {
  if (update.sessionUpdate === 'config_option_update') {
    return unchanged({ ...state, modelId: modelOf(update) ?? state.modelId });
  }
  if (state.running !== undefined) {
    const isOver = !state.running.isPrompted && isIdleStatus(update);
    const reported = report(state, update, context);
    return isOver ? andThen(reported, (current) => endRunning(current, DONE, context)) : reported;
  }
  if (update.sessionUpdate === 'notice') return holdNotice(state, update);
  if (state.abandoned.size > 0 || !isContent(update) || isLate(state, update)) return unchanged(state);
  return andThen(begin(state, context.newTurnId(), false, context), (current) => report(current, update, context));
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

/** There is no answer to wait for in a turn that the agent began by itself. */
function interrupt(state: SessionState, context: SessionContext): SessionStep {
  const { running } = state;
  if (running === undefined) return unchanged(state);
  if (!running.isPrompted) return endRunning(state, { by: 'cancel' }, context);
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
  return { state: withoutRunning(state, turn, isCutShort), actions: endTurn(turn, outcome, context) };
}

function withoutRunning(state: SessionState, turn: TurnState, isCutShort: boolean): SessionState {
  for (const callId of turn.calls.keys()) state.pastCalls.add(callId);
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

/** Codex reports when it has nothing more to do. */
function isIdleStatus(update: SessionUpdate): boolean {
  if (update.sessionUpdate !== 'session_info_update') return false;
  const status = update._meta?.codex?.threadStatus?.type;
  return status === 'idle' || status === 'systemError';
}

function unchanged(state: SessionState): SessionStep {
  return { state, actions: [] };
}

function andThen({ state, actions }: SessionStep, next: (state: SessionState) => SessionStep): SessionStep {
  const following = next(state);
  return { state: following.state, actions: [...actions, ...following.actions] };
}
