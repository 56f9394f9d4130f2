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
  backgroundCount(): number;
}

export function createItemRegister(turns: Turns): ItemRegister {
  const open = new Map<string, Item>();
  /** The number of each open item, in order of creation. */
  const numbers = new Map<string, number>();
  /** The ids of the open items that work under an item. */
  const steps = new Map<string, Set<string>>();
  /** The ids of the open items that are background work. */
  const backgroundIds = new Set<string>();
  let count = 0;

  /** Whether an item is background work or works under some. */
  function isBackground(itemId: string | undefined): boolean {
    const item = itemId === undefined ? undefined : open.get(itemId);
    if (item === undefined) return false;
    return isTask(item) || isBackground(item.parentItemId);
  }

  /** The open items under an item, at any depth, except background work and its steps. */
  function itemsUnder(itemId: string): Item[] {
    const children = [...(steps.get(itemId) ?? [])].flatMap((id) => open.get(id) ?? []);
    return children.filter((item) => !isTask(item)).flatMap((item) => [item, ...itemsUnder(item.itemId)]);
  }

  const byCreation = (a: Item, b: Item) => (numbers.get(a.itemId) ?? 0) - (numbers.get(b.itemId) ?? 0);

  function takeAll(taken: readonly Item[]): Item[] {
    const ordered = taken.toSorted(byCreation);
    for (const { itemId } of ordered) take(itemId);
    return ordered;
  }

  const isFree = (turn: Turn | undefined, itemId: string) => !open.has(itemId) && turn?.itemIds.has(itemId) !== true;

  function add(item: Item): void {
    const { itemId, parentItemId } = item;
    count += 1;
    open.set(itemId, item);
    numbers.set(itemId, count);
    if (parentItemId === undefined) return;
    const siblings = steps.get(parentItemId) ?? new Set();
    steps.set(parentItemId, siblings.add(itemId));
  }

  function take(itemId: string): Item | undefined {
    const item = open.get(itemId);
    if (item === undefined) return undefined;
    open.delete(itemId);
    numbers.delete(itemId);
    backgroundIds.delete(itemId);
    const siblings = steps.get(item.parentItemId ?? '');
    siblings?.delete(itemId);
    if (siblings?.size === 0) steps.delete(item.parentItemId ?? '');
    return item;
  }

  return {
    begin(turnId, itemId, parentItemId) {
      const turn = isBackground(parentItemId) ? turns.reenter(turnId) : turns.enter(turnId);
      if (turn === undefined || !isFree(turn, itemId)) return undefined;
      turn.itemIds.add(itemId);
      return turn;
    },
    isFree,
    add,
    find: (itemId) => open.get(itemId),
    take,
    takeAllOf: (turnId) =>
      takeAll([...open.values()].filter((item) => item.turnId === turnId && !isBackground(item.itemId))),
    takeAllUnder: (itemId) => takeAll(itemsUnder(itemId)),
    markBackground: (itemId) => void backgroundIds.add(itemId),
    background: () => [...backgroundIds].flatMap((id) => toTask(open.get(id))).sort(byCreation),
    backgroundCount: () => backgroundIds.size,
  };
}

function isTask(item: Item): boolean {
  return item.kind === 'tool' && item.taskId !== undefined;
}

function toTask(item: Item | undefined): ToolCall[] {
  return item?.kind === 'tool' ? [item] : [];
}
