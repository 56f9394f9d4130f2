import { type UpsertObject, userItemId } from '../../../shared/stream-contracts.ts';
import type { KeptConversation } from '../journal.ts';
import { type ConversationTurns, callIdIn, isUserItem } from './conversation-turns.ts';
import type { ItemMatches } from './match-items.ts';
import type { TurnMatches } from './match-turns.ts';

export interface Adoption {
  readonly kept: KeptConversation;
  readonly native: readonly UpsertObject[];
  readonly keptTurns: ConversationTurns;
  readonly nativeTurns: ConversationTurns;
  readonly turns: TurnMatches;
  readonly items: ItemMatches;
  /** The places of the native items, in order. */
  readonly added: readonly number[];
}

/**
 * Items of the transcript with the ids of the journal: of its turns and of its calls. They get new ids where they would
 * be taken for others.
 */
export function adopt({
  kept,
  native,
  keptTurns,
  nativeTurns,
  turns,
  items,
  added,
}: Adoption): ReadonlyMap<number, UpsertObject> {
  const adopted = new Map<number, UpsertObject>();
  if (added.length === 0) return adopted;
  const usedTurns = new Set([...keptTurns.turns, ...kept.turns].map(({ turnId }) => turnId));
  const usedItems = new Set<string>();
  for (const { itemId } of kept.entries) usedItems.add(itemId);
  const turnIds = new Map<string, string>();
  const itemIds = added.some((place) => native[place]?.parentItemId !== undefined) ? keptIds() : new Map();
  for (const place of added) {
    const item = native[place];
    const turn = nativeTurns.of[place];
    if (item === undefined || turn === undefined) continue;
    const turnId = turns.get(turn)?.turnId ?? turnIds.get(item.turnId) ?? claim(usedTurns, item.turnId);
    turnIds.set(item.turnId, turnId);
    itemIds.set(item.itemId, claim(usedItems, itemIdIn(turnId, item)));
  }

  /** By the ids in the transcript. */
  function keptIds(): Map<string, string> {
    const ids = new Map<string, string>();
    for (const [place, { itemId }] of native.entries()) {
      const same = kept.entries[items.ofNative[place] ?? -1];
      if (same !== undefined) ids.set(itemId, same.itemId);
    }
    return ids;
  }

  for (const place of added) {
    const item = native[place];
    if (item === undefined) continue;
    const { parentItemId, inContext: _none, ...own } = item;
    const turnId = turnIds.get(item.turnId) ?? item.turnId;
    adopted.set(place, {
      ...own,
      ...(own.type === 'tool_call' && { callId: callIdIn(turnId, own) }),
      turnId,
      itemId: itemIds.get(item.itemId) ?? item.itemId,
      ...(parentItemId !== undefined && { parentItemId: itemIds.get(parentItemId) ?? parentItemId }),
    });
  }
  return adopted;
}

/** The id of an item that moves into the turn `turnId`. */
function itemIdIn(turnId: string, item: UpsertObject): string {
  if (isUserItem(item)) return userItemId(turnId);
  return item.itemId.startsWith(item.turnId) ? `${turnId}${item.itemId.slice(item.turnId.length)}` : item.itemId;
}

function claim(used: Set<string>, wanted: string): string {
  let id = wanted;
  for (let count = 2; used.has(id); count += 1) id = `${wanted}~${count}`;
  used.add(id);
  return id;
}
