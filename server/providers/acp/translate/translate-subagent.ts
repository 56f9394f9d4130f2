import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import type { SessionUpdate, SubagentReport } from './session-update.ts';
import { STOPPED } from './translate-tool-call.ts';
import { type TranslationContext, translateUpdate } from './translate-update.ts';
import { flushTurn } from './turn-outcome.ts';
import { andThen, closeText, newSubagentTurn, nextItem, type Step, type TurnState, withCalls } from './turn-state.ts';

/**
 * A sub-agent shows as one call, in the background from its beginning, because the model goes on beside it. What it
 * does are steps of that call, and its last message is the result.
 */
interface Subagent {
  readonly callId: string;
  /** What it does, as steps of its call. */
  readonly turn: TurnState;
  readonly title: string;
  readonly lastMessage: LastMessage | undefined;
  readonly isOver: boolean;
  /** How often it was set to work. An agent may give it another task when it is done. */
  readonly runs: number;
}

interface LastMessage {
  readonly itemId: string;
  readonly content: string;
}

/** By the ids of their sessions. Updated in place. */
export type Subagents = Map<string, Subagent>;

/** Whether a report sets a sub-agent to work, so that it needs a call to show it. */
export function isSubagentStart(subagents: Subagents, { sessionId, title, state }: SubagentReport): boolean {
  const known = subagents.get(sessionId);
  const isRunning = state?.state === 'running';
  return known === undefined ? title != null || isRunning : known.isOver && isRunning;
}

/** `parent`: the turn, or the work of another sub-agent, in which it was set to work. */
export function startSubagent(parent: TurnState, subagents: Subagents, report: SubagentReport): Step {
  const { sessionId } = report;
  const known = subagents.get(sessionId);
  const runs = (known?.runs ?? 0) + 1;
  const callId = runs === 1 ? sessionId : `${sessionId}:${runs}`;
  const title = report.title ?? known?.title ?? '';
  return andThen(closeText(parent), (closed) => {
    const item = nextItem(closed);
    // With the commands that it left running when it was done before.
    const turn = withCalls(newSubagentTurn(closed.turnId, item.itemId), known?.turn.calls ?? []);
    subagents.set(sessionId, { callId, turn, title, lastMessage: undefined, isOver: false, runs });
    return {
      state: { ...closed, itemCount: closed.itemCount + 1 },
      actions: [
        { do: 'tool_start', ...item, callId, name: 'Agent', toolKind: 'think', arguments: toArguments(title) },
        { do: 'tool_background', turnId: closed.turnId, callId, taskId: sessionId },
      ],
    };
  });
}

/** A report about a sub-agent that is known. */
export function updateSubagent(
  subagents: Subagents,
  { sessionId, title, state }: SubagentReport,
  context: TranslationContext,
): readonly StreamAction[] {
  const known = subagents.get(sessionId);
  if (known === undefined || known.isOver) return [];
  const named = title == null || title === known.title ? [] : rename(subagents, sessionId, known, title);
  const isOver = state != null && state.state !== 'running' && state.state !== 'requires_action';
  return isOver ? [...named, ...end(subagents, sessionId, state.stopReason ?? state.state, context)] : named;
}

/** Something that a sub-agent did, or a report about one that it set to work itself. */
export function addSubagentUpdate(
  subagents: Subagents,
  from: string,
  update: SessionUpdate,
  context: TranslationContext,
): readonly StreamAction[] {
  const known = subagents.get(from);
  if (known === undefined || (known.isOver && !isAboutOpenCall(known, update))) return [];
  if (update.sessionUpdate !== 'subagent_update')
    return addStep(subagents, from, (turn) => translateUpdate(turn, update, context));
  const started = isSubagentStart(subagents, update)
    ? addStep(subagents, from, (turn) => startSubagent(turn, subagents, update))
    : [];
  return [...started, ...updateSubagent(subagents, update, context)];
}

function addStep(subagents: Subagents, from: string, step: (turn: TurnState) => Step): readonly StreamAction[] {
  const known = subagents.get(from);
  if (known === undefined) return [];
  const { state: turn, actions } = step(known.turn);
  const lastMessage = actions.reduce(readMessage, known.lastMessage);
  if (turn !== known.turn || lastMessage !== known.lastMessage) subagents.set(from, { ...known, turn, lastMessage });
  return actions;
}

/** A command may outlive the sub-agent that started it. */
function isAboutOpenCall({ turn }: Subagent, update: SessionUpdate): boolean {
  return 'toolCallId' in update && turn.calls.get(update.toolCallId)?.isDone === false;
}

function rename(subagents: Subagents, sessionId: string, known: Subagent, title: string): StreamAction[] {
  const { callId, turn } = known;
  subagents.set(sessionId, { ...known, title });
  return [{ do: 'tool_arguments', turnId: turn.turnId, callId, arguments: toArguments(title) }];
}

function end(
  subagents: Subagents,
  sessionId: string,
  reason: string,
  context: TranslationContext,
): readonly StreamAction[] {
  const known = subagents.get(sessionId);
  if (known === undefined) return [];
  const { callId, turn, lastMessage } = known;
  subagents.set(sessionId, { ...known, turn: keepOpenCalls(turn), lastMessage: undefined, isOver: true });
  const isDone = reason === 'end_turn' || reason === 'idle';
  const done: ActionOf<'tool_done'> = {
    do: 'tool_done',
    turnId: turn.turnId,
    callId,
    output: lastMessage?.content ?? '',
    isError: !isDone,
    ...((reason === 'cancelled' || reason === 'unknown') && { failure: STOPPED }),
  };
  return [...closeText(turn).actions, ...flushTurn({ ...turn, text: undefined }, context), done];
}

/** All that is still needed of one that is over; a session may have many, with long outputs. */
function keepOpenCalls(turn: TurnState): TurnState {
  const open = [...turn.calls].filter(([, { isDone }]) => !isDone);
  return { ...withCalls(turn, open), plan: undefined };
}

function toArguments(title: string): Record<string, unknown> {
  return title === '' ? {} : { name: title };
}

function readMessage(last: LastMessage | undefined, action: StreamAction): LastMessage | undefined {
  if (action.do === 'item_start' && action.kind === 'message')
    return { itemId: action.itemId, content: action.content ?? '' };
  if (action.do === 'item_delta' && action.itemId === last?.itemId)
    return { itemId: last.itemId, content: last.content + action.text };
  return last;
}
