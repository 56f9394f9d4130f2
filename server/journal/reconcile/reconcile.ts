import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { KeptConversation } from '../journal.ts';
import { adopt } from './adopt.ts';
import { type ConversationTurn, isNotice, turnsOf } from './conversation-turns.ts';
import { createContext, type HistoryGaps } from './in-context.ts';
import { matchItems } from './match-items.ts';
import { matchTurns } from './match-turns.ts';
import { markContext, mergeItem } from './merge-item.ts';
import { weave } from './weave.ts';

/**
 * Merges what was shown with what the agent has in its transcript. Pure, and the same again if repeated.
 *
 * - What was shown keeps its ids, its order and its texts; what a server or a process that ended had cut short is taken
 *   from the transcript if that has more.
 * - What only the transcript has, such as turns from a terminal, stands in its place.
 * - What only the journal has is marked as not in the model's context, and the receipts of the messages are settled.
 */
export function reconcile(
  kept: KeptConversation,
  native: readonly UpsertObject[],
  gaps: HistoryGaps = {},
): KeptConversation {
  const keptTurns = turnsOf(kept.entries);
  const nativeTurns = turnsOf(native);
  const turns = matchTurns(keptTurns.turns, nativeTurns.turns);
  const sides = [
    { entries: kept.entries, turns: keptTurns.turns },
    { entries: native, turns: nativeTurns.turns },
  ] as const;
  const items = matchItems(...sides, turns);
  const turnOf = (place: number): ConversationTurn | undefined => {
    const turn = nativeTurns.of[place];
    return turn && turns.get(turn);
  };
  const summaries = new Map(kept.turns.map((turn) => [turn.turnId, turn]));

  /** The journal says how its turns ended, so that it needs no notices about that. */
  function isUnwanted(place: number): boolean {
    const item = native[place];
    if (item === undefined || !isNotice(item)) return false;
    const summary = summaries.get(turnOf(place)?.turnId ?? '');
    return summary !== undefined && summary.errorCode !== 'SERVER_STOPPED';
  }

  const matches = items.ofNative;
  const woven = weave({ kept: kept.entries, keptTurnOf: keptTurns.of, native, matches, isUnwanted, turnOf });
  const added = [...woven.values()].flat().sort((a, b) => a - b);
  const adopted = adopt({ kept, native, keptTurns, nativeTurns, turns, items, added });
  const context = createContext({ kept, native, keptTurns, nativeTurns, turns, items, gaps });

  const entries: UpsertObject[] = [];
  const addAfter = (place: number) => {
    for (const index of woven.get(place) ?? []) {
      const item = adopted.get(index);
      if (item !== undefined) entries.push(item);
    }
  };
  addAfter(-1);
  for (const [place, item] of kept.entries.entries()) {
    const same = native[items.ofKept[place] ?? -1];
    entries.push(same === undefined ? markContext(item, context.has(item, place)) : mergeItem(item, same));
    addAfter(place);
  }
  return { entries, turns: kept.turns.map(context.settleReceipt) };
}
