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
  readonly startedAt: number;
  /** What the agent did in it, as keys that can be compared. */
  readonly traces: ReadonlySet<string>;
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
  readonly traces: Set<string>;
}

export function turnsOf(entries: readonly UpsertObject[]): ConversationTurns {
  const turns = new Map<string, Collected>();
  const of: Collected[] = [];
  let turn: Collected | undefined;
  for (const [place, item] of entries.entries()) {
    if (turn?.turnId !== item.turnId) turn = turns.get(item.turnId) ?? begin(item, turns);
    of.push(turn);
    if (turn.user === undefined && isUserItem(item)) {
      turn.user = place;
      turn.text = item.content.trim();
    } else {
      turn.others.push(place);
      const trace = traceOf(item);
      if (trace !== undefined) turn.traces.add(trace);
    }
  }
  return { turns: [...turns.values()], of };
}

function begin({ turnId, sourceTimestamp }: UpsertObject, turns: Map<string, Collected>): Collected {
  const startedAt = Date.parse(sourceTimestamp);
  const turn = { turnId, user: undefined, text: undefined, others: [], startedAt, traces: new Set<string>() };
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
export function callKey({ callId, turnId }: Pick<ToolCall, 'callId' | 'turnId'>): {
  readonly key: string;
  readonly isOfTurn: boolean;
} {
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

function traceOf(item: UpsertObject): string | undefined {
  if (!isOutput(item)) return undefined;
  if (item.type !== 'tool_call') {
    return isAbandoned(item) || isCut(item) ? undefined : `${item.type}\n${item.content.trim()}`;
  }
  const { key, isOfTurn } = callKey(item);
  return isOfTurn ? undefined : `${CALL}${key}`;
}
