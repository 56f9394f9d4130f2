import type { Receipt, TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { KeptConversation } from '../journal.ts';
import { type ConversationTurn, type ConversationTurns, isNotice, isOutput, isUserItem } from './conversation-turns.ts';
import type { ItemMatches } from './match-items.ts';
import type { TurnMatches } from './match-turns.ts';

/** What an agent does not store, or not always, although the model has it. */
export interface HistoryGaps {
  readonly calls?: boolean;
  readonly thinking?: boolean;
}

export interface Reconciled {
  readonly kept: KeptConversation;
  readonly native: readonly UpsertObject[];
  readonly keptTurns: ConversationTurns;
  readonly nativeTurns: ConversationTurns;
  readonly turns: TurnMatches;
  readonly items: ItemMatches;
  readonly gaps: HistoryGaps;
}

/** What of the journal the agent has. */
export interface Context {
  /** For items that the transcript does not have. */
  has(item: UpsertObject, place: number): boolean;
  /** The turn with what is known about its message. */
  settleReceipt(turn: TurnSummary): TurnSummary;
}

export function createContext(reconciled: Reconciled): Context {
  const { kept, native, keptTurns, turns, items, gaps } = reconciled;
  const foundTurns = new Set(turns.values());
  const joined = joinedMessages(reconciled);
  const lastOutput = native.findLastIndex(isOutput);
  let calls: ReadonlySet<string> | undefined;
  let completed: ReadonlySet<string> | undefined;
  let byId: ReadonlyMap<string, ConversationTurn> | undefined;

  function hasCall(callId: string): boolean {
    calls ??= new Set(native.flatMap((item) => (item.type === 'tool_call' ? [item.callId] : [])));
    return calls.has(callId);
  }

  /** A command for the agent itself, such as /compact, is no message for the model. */
  function isCommand(text: string, turnId: string): boolean {
    completed ??= new Set(kept.turns.filter(({ status }) => status === 'completed').map((turn) => turn.turnId));
    return text.startsWith('/') && completed.has(turnId);
  }

  function has(item: UpsertObject, place: number): boolean {
    // Steps of a sub-agent are never part of the conversation's own context.
    if (isNotice(item) || item.parentItemId !== undefined) return true;
    const turn = keptTurns.of[place];
    if (turn === undefined) return false;
    if (isUserItem(item)) return joined.has(turn) || isCommand(item.content, item.turnId);
    const isTurnFound = foundTurns.has(turn);
    if (item.type === 'tool_call') return hasCall(item.callId) || (gaps.calls === true && isTurnFound);
    return item.type === 'thinking' && gaps.thinking === true && isTurnFound && item.status === 'complete';
  }

  /** Where the transcript has the user's message of a turn. */
  function nativePlace(turn: ConversationTurn): number | undefined {
    const place = items.ofKept[turn.user ?? -1] ?? -1;
    return place >= 0 ? place : joined.get(turn);
  }

  /** Undefined where the transcript tells nothing about it. */
  function receiptOf({ turnId }: TurnSummary): Receipt | undefined {
    byId ??= new Map(keptTurns.turns.map((turn) => [turn.turnId, turn]));
    const turn = byId.get(turnId);
    const message = kept.entries[turn?.user ?? -1];
    if (turn?.user === undefined || message === undefined) return undefined;
    const place = nativePlace(turn);
    if (place !== undefined) return lastOutput > place ? 'requested' : 'taken';
    return has(message, turn.user) ? undefined : 'kept';
  }

  return {
    has,
    settleReceipt(turn) {
      if (turn.receipt === undefined || turn.receipt === 'requested') return turn;
      return { ...turn, receipt: receiptOf(turn) ?? turn.receipt };
    },
  };
}

/** Messages that waited together and were stored as one, and where that one stands. */
function joinedMessages({ native, keptTurns, turns, items }: Reconciled): ReadonlyMap<ConversationTurn, number> {
  const joined = new Map<ConversationTurn, number>();
  for (const [theirs, ours] of turns) {
    if (theirs.user === undefined || theirs.text === undefined || theirs.text === ours.text) continue;
    let rest = theirs.text;
    for (let index = keptTurns.turns.indexOf(ours); index >= 0; index -= 1) {
      const before = keptTurns.turns[index];
      if (before?.text === undefined || before.user === undefined) break;
      if (before !== ours && (items.ofKept[before.user] ?? -1) >= 0) break;
      if (rest !== before.text && !rest.endsWith(`\n${before.text}`)) break;
      if (before !== ours) joined.set(before, theirs.user);
      rest = rest.slice(0, Math.max(0, rest.length - before.text.length - 1));
    }
  }
  return native.length === 0 ? new Map() : joined;
}
