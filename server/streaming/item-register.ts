import type { TextItem } from './text-item.ts';
import type { ToolCall } from './tool-call.ts';
import type { Turn, Turns } from './turns.ts';

export type Item = TextItem | ToolCall;

/** Which items are open, and which ids are used up. */
export interface ItemRegister {
  /**
   * The turn in which an item of this id may begin. Undefined where the id is used up, or the turn has ended and the
   * item is no step of background work that goes on.
   */
  begin(turnId: string, itemId: string, parentItemId?: string): Turn | undefined;
  isFree(turn: Turn | undefined, itemId: string): boolean;
  add(item: Item): void;
  find(itemId: string): Item | undefined;
  /** Takes it off the list: from now on it has ended. */
  take(itemId: string): Item | undefined;
  /** The same for all items of a turn, in the order in which they began, without background work and its steps. */
  takeAllOf(turnId: string): Item[];
  /** The same for all items under one, however deep, without background work of their own and its steps. */
  takeAllUnder(itemId: string): Item[];
  /** Calls that go on whatever becomes of their turn, in the order in which they began. */
  background(): ToolCall[];
}

export function createItemRegister(turns: Turns): ItemRegister {
  const open = new Map<string, Item>();

  /** Whether an item is background work or works under some, looking no further up than `top`. */
  function isBackground(itemId: string | undefined, top?: string): boolean {
    const item = itemId === undefined || itemId === top ? undefined : open.get(itemId);
    if (item === undefined) return false;
    return (item.kind === 'tool' && item.taskId !== undefined) || isBackground(item.parentItemId, top);
  }

  function isUnder(item: Item, itemId: string): boolean {
    if (item.parentItemId === undefined) return false;
    const parent = open.get(item.parentItemId);
    return item.parentItemId === itemId || (parent !== undefined && isUnder(parent, itemId));
  }

  function takeAll(taken: readonly Item[]): Item[] {
    for (const item of taken) open.delete(item.itemId);
    return [...taken];
  }

  const isFree = (turn: Turn | undefined, itemId: string) => !open.has(itemId) && turn?.itemIds.has(itemId) !== true;

  const take = (itemId: string) => {
    const item = open.get(itemId);
    open.delete(itemId);
    return item;
  };

  return {
    begin(turnId, itemId, parentItemId) {
      const turn = isBackground(parentItemId) ? turns.reenter(turnId) : turns.enter(turnId);
      if (turn === undefined || !isFree(turn, itemId)) return undefined;
      turn.itemIds.add(itemId);
      return turn;
    },
    isFree,
    add: (item) => open.set(item.itemId, item),
    find: (itemId) => open.get(itemId),
    take,
    takeAllOf: (turnId) =>
      takeAll([...open.values()].filter((item) => item.turnId === turnId && !isBackground(item.itemId))),
    takeAllUnder: (itemId) =>
      takeAll([...open.values()].filter((item) => isUnder(item, itemId) && !isBackground(item.itemId, itemId))),
    background: () =>
      [...open.values()].filter((item) => item.kind === 'tool' && item.taskId !== undefined) as ToolCall[],
  };
}
