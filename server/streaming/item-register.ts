import type { TextItem } from './text-item.ts';
import type { ToolCall } from './tool-call.ts';
import type { Turn, Turns } from './turns.ts';

export type Item = TextItem | ToolCall;

/** Which items are open, and which ids are used up. */
export interface ItemRegister {
  /** The turn in which an item of this id may begin; undefined where the id is used up or the turn has ended. */
  begin(turnId: string, itemId: string): Turn | undefined;
  isFree(turn: Turn | undefined, itemId: string): boolean;
  add(item: Item): void;
  find(itemId: string): Item | undefined;
  /** Takes it off the list: from now on it has ended. */
  take(itemId: string): Item | undefined;
  /** The same for all items of a turn, in the order in which they began. */
  takeAllOf(turnId: string): Item[];
}

export function createItemRegister(turns: Turns): ItemRegister {
  const open = new Map<string, Item>();

  const isFree = (turn: Turn | undefined, itemId: string) => !open.has(itemId) && turn?.itemIds.has(itemId) !== true;

  const take = (itemId: string) => {
    const item = open.get(itemId);
    open.delete(itemId);
    return item;
  };

  return {
    begin(turnId, itemId) {
      const turn = turns.enter(turnId);
      if (turn === undefined || !isFree(turn, itemId)) return undefined;
      turn.itemIds.add(itemId);
      return turn;
    },
    isFree,
    add: (item) => open.set(item.itemId, item),
    find: (itemId) => open.get(itemId),
    take,
    takeAllOf(turnId) {
      const ofTurn = [...open.values()].filter((item) => item.turnId === turnId);
      for (const item of ofTurn) open.delete(item.itemId);
      return ofTurn;
    },
  };
}
