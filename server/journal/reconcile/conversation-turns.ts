import { isUserItemId, type UpsertObject } from '../../../shared/stream-contracts.ts';
import { isCut } from './merge-item.ts';

export type ToolCall = Extract<UpsertObject, { type: 'tool_call' }>;
export type TextItem = Exclude<UpsertObject, ToolCall>;

/** One turn of a conversation. Its items are given by their places; those of several turns may be interleaved. */
export interface ConversationTurn {
  readonly turnId: string;
  /** Where the user's message stands. Undefined for a turn that the agent began by itself. */
  readonly user: number | undefined;
  /** What the user wrote. */
  readonly text: string | undefined;
  /** Everything else, in order. */
  readonly others: readonly number[];
  /** The calls among them. */
  readonly calls: readonly PlacedCall[];
  /** Some are steps of a sub-agent. */
  readonly hasSteps: boolean;
  readonly startedAt: number;
  /** What the agent did in it, as keys that can be compared. Worked out when it is needed. */
  readonly traces: ReadonlySet<string>;
}

export interface PlacedCall extends CallKey {
  readonly place: number;
}

export interface ConversationTurns {
  /** In the order in which they began. */
  readonly turns: readonly ConversationTurn[];
  /** The turn of each item. */
  readonly of: readonly ConversationTurn[];
}

interface Collected extends ConversationTurn {
  user: number | undefined;
  text: string | undefined;
  readonly others: number[];
  readonly calls: PlacedCall[];
  hasSteps: boolean;
}

export function turnsOf(entries: readonly UpsertObject[]): ConversationTurns {
  const turns = new Map<string, Collected>();
  const of: Collected[] = [];
  let turn: Collected | undefined;
  for (const [place, item] of entries.entries()) {
    if (turn?.turnId !== item.turnId) turn = turns.get(item.turnId) ?? begin(item, turns, entries);
    of.push(turn);
    if (turn.user === undefined && isUserItem(item)) {
      turn.user = place;
      turn.text = item.content.trim();
    } else {
      addOther(turn, item, place);
    }
  }
  return { turns: [...turns.values()], of };
}

function addOther(turn: Collected, item: UpsertObject, place: number): void {
  turn.others.push(place);
  turn.hasSteps ||= item.parentItemId !== undefined;
  if (item.type === 'tool_call') {
    const { key, isOfTurn } = callKey(item);
    turn.calls.push({ key, isOfTurn, place });
  }
}

function tracesOf(
  { others, calls }: Pick<Collected, 'others' | 'calls'>,
  entries: readonly UpsertObject[],
): Set<string> {
  const traces = new Set<string>();
  for (const { key, isOfTurn } of calls) if (!isOfTurn) traces.add(`${CALL}${key}`);
  for (const place of others) {
    const item = entries[place];
    if (item === undefined || item.type === 'tool_call' || !isOutput(item) || isAbandoned(item) || isCut(item))
      continue;
    traces.add(`${item.type}\n${item.content.trim()}`);
  }
  return traces;
}

function begin(
  { turnId, sourceTimestamp }: UpsertObject,
  turns: Map<string, Collected>,
  entries: readonly UpsertObject[],
): Collected {
  let traces: Set<string> | undefined;
  const turn: Collected = {
    turnId,
    user: undefined,
    text: undefined,
    others: [],
    calls: [],
    hasSteps: false,
    startedAt: Date.parse(sourceTimestamp),
    get traces() {
      traces ??= tracesOf(turn, entries);
      return traces;
    },
  };
  turns.set(turnId, turn);
  return turn;
}

export function isUserItem(item: UpsertObject): item is Extract<UpsertObject, { type: 'message' }> {
  return item.type === 'message' && item.origin === 'user' && isUserItemId(item.itemId);
}

export const isNotice = (item: UpsertObject): boolean => item.type === 'message' && item.origin === 'system';

/** Something that the model wrote or did. */
export const isOutput = (item: UpsertObject): boolean => item.type !== 'message' || item.origin === 'agent';

/** Identifies a call. One that is named after its turn is only known within that turn. */
interface CallKey {
  readonly key: string;
  readonly isOfTurn: boolean;
}

function callKey({ callId, turnId }: Pick<ToolCall, 'callId' | 'turnId'>): CallKey {
  return callId.startsWith(turnId)
    ? { key: callId.slice(turnId.length), isOfTurn: true }
    : { key: callId, isOfTurn: false };
}

/** The id of a call that moves into the turn `turnId`. */
export function callIdIn(turnId: string, call: Pick<ToolCall, 'callId' | 'turnId'>): string {
  const { key, isOfTurn } = callKey(call);
  return isOfTurn ? `${turnId}${key}` : key;
}

/** The agent gave this answer up and began it again: it has nothing to do with what the transcript has. */
export const isAbandoned = ({ errorCode }: UpsertObject): boolean => errorCode === 'STREAM_RETRIED';

const CALL = 'call\n';

/** It tells which turn it is, whatever the user wrote. */
export const isCallTrace = (trace: string): boolean => trace.startsWith(CALL);
