import type { TextItem } from './text-item.ts';
import type { ToolCall } from './tool-call.ts';
import type { Turn, Turns } from './turns.ts';

export type Item = TextItem | ToolCall;

/** Tracks open items and used ids. */
export interface ItemRegister {
  /**
   * Returns the turn in which an item with this id can begin, or undefined if the id was used before, or if the turn
   * has ended and the item is not a step of running background work.
   */
  begin(turnId: string, itemId: string, parentItemId?: string): Turn | undefined;
  isFree(turn: Turn | undefined, itemId: string): boolean;
  add(item: Item): void;
  find(itemId: string): Item | undefined;
  /** Removes an open item, which counts as ended from now on. */
  take(itemId: string): Item | undefined;
  /** Removes all items of a turn in order of creation, except background work and its steps. */
  takeAllOf(turnId: string): Item[];
  /** Removes all items under an item, at any depth, except background work under it and its steps. */
  takeAllUnder(itemId: string): Item[];
  /** From now on this call is background work. */
  markBackground(itemId: string): void;
  /** Calls that run in the background, in order of creation. */
  background(): ToolCall[];
}

export function createItemRegister(turns: Turns): ItemRegister {
  const open = new Map<string, Item>();
  /** The ids of the open items that are background work. Looking for them is too slow while there are none. */
  const backgroundIds = new Set<string>();

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
    for (const { itemId } of taken) take(itemId);
    return [...taken];
  }

  const isFree = (turn: Turn | undefined, itemId: string) => !open.has(itemId) && turn?.itemIds.has(itemId) !== true;

  const take = (itemId: string) => {
    const item = open.get(itemId);
    open.delete(itemId);
    backgroundIds.delete(itemId);
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
    markBackground: (itemId) => void backgroundIds.add(itemId),
    background: () =>
      backgroundIds.size === 0
        ? []
        : ([...open.values()].filter(({ itemId }) => backgroundIds.has(itemId)) as ToolCall[]),
  };
}
