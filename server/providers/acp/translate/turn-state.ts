import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { CallState } from './call-state.ts';
import type { PlanEntry } from './session-update.ts';

/** The message or thought that is being written. */
export interface OpenText {
  readonly itemId: string;
  readonly kind: 'message' | 'thinking';
  readonly messageId: string | undefined;
}

/** What the translation remembers of a turn. A state that was passed in must not be used again: see `calls`. */
export interface TurnState {
  readonly turnId: string;
  /** What the ids of its items begin with. */
  readonly itemPrefix: string;
  /** Set for the work of a sub-agent: its items are steps of this one. */
  readonly parentItemId: string | undefined;
  /** How many items the turn has so far: the ordinal of the next one. */
  readonly itemCount: number;
  readonly text: OpenText | undefined;
  /** Updated in place. Copying it for every report would make a turn with many calls quadratic. */
  readonly calls: Map<string, CallState>;
  /** Parts of the calls, so that a long turn is not searched with every report. Updated by `putCall`. */
  readonly openCalls: OpenCalls;
  readonly plan: readonly PlanEntry[] | undefined;
  /** A notice that may turn out to be the reason why the turn failed. */
  readonly heldNotice: string | undefined;
  /** The agent reported that the model failed. The response to the prompt does not say so. */
  readonly hasFailed: boolean;
}

interface OpenCalls {
  /** The calls that have no result. */
  readonly all: Set<string>;
  /** The commands among them that the model waits for. */
  readonly commands: Set<string>;
  /** The calls that go on in the background, by the ids of their tasks. */
  readonly tasks: Map<string, string>;
}

/** Changes the state that it is given. */
export function putCall({ calls, openCalls }: TurnState, callId: string, call: CallState): void {
  const { status, taskId, toolKind } = call;
  const isOpen = status === 'open';
  calls.set(callId, call);
  setMember(openCalls.all, callId, isOpen);
  setMember(openCalls.commands, callId, isOpen && taskId === undefined && toolKind === 'execute');
  if (taskId !== undefined && !call.isDone) openCalls.tasks.set(taskId, callId);
  else if (taskId !== undefined) openCalls.tasks.delete(taskId);
}

/** The turn with a copy of these calls instead of its own. */
export function withCalls(turn: TurnState, calls: Iterable<readonly [string, CallState]>): TurnState {
  const copy: TurnState = { ...turn, calls: new Map(), openCalls: noCalls() };
  for (const [callId, call] of calls) putCall(copy, callId, call);
  return copy;
}

const noCalls = (): OpenCalls => ({ all: new Set(), commands: new Set(), tasks: new Map() });

function setMember(set: Set<string>, value: string, isMember: boolean): void {
  if (isMember) set.add(value);
  else set.delete(value);
}

export interface Step {
  readonly state: TurnState;
  readonly actions: readonly StreamAction[];
}

export function newTurn(turnId: string): TurnState {
  return newScope(turnId, turnId, undefined);
}

/** What a sub-agent does, as steps of the item that stands for it. */
export function newSubagentTurn(turnId: string, itemId: string): TurnState {
  return newScope(turnId, itemId, itemId);
}

function newScope(turnId: string, itemPrefix: string, parentItemId: string | undefined): TurnState {
  return {
    turnId,
    itemPrefix,
    parentItemId,
    itemCount: 0,
    text: undefined,
    calls: new Map(),
    openCalls: noCalls(),
    plan: undefined,
    heldNotice: undefined,
    hasFailed: false,
  };
}

function nextItemId({ itemPrefix, itemCount }: TurnState): string {
  return `${itemPrefix}:${itemCount}:0`;
}

/** Where the next item of a turn stands. */
export function nextItem(state: TurnState): { turnId: string; itemId: string; parentItemId?: string } {
  const { turnId, parentItemId } = state;
  return { turnId, itemId: nextItemId(state), ...(parentItemId !== undefined && { parentItemId }) };
}

/** Does one step of a translation after another. */
export function andThen({ state, actions }: Step, next: (state: TurnState) => Step): Step {
  const following = next(state);
  if (actions.length === 0) return following;
  return { state: following.state, actions: [...actions, ...following.actions] };
}

/** Ends the open message or thought, because something else follows. */
export function closeText(state: TurnState): Step {
  if (state.text === undefined) return { state, actions: [] };
  return { state: { ...state, text: undefined }, actions: [{ do: 'item_done', itemId: state.text.itemId }] };
}

/** Adds a whole message of the system. */
export function addNotice(state: TurnState, content: string): Step {
  return andThen(closeText(state), (closed) => ({
    state: { ...closed, itemCount: closed.itemCount + 1 },
    actions: [{ do: 'message', ...nextItem(closed), origin: 'system', content }],
  }));
}
