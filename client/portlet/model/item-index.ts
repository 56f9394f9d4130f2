import type { Item } from './item.ts';

/** What would take long to search for in a long conversation. */
export interface ItemIndex {
  put(item: Item): void;
  /** The items that name this one as their parent, even if it is not known yet. */
  childrenOf(itemId: string): readonly Item[];
  /** The ids of the items that may still change, in order of first appearance. */
  openIds(): readonly string[];
}

export function createItemIndex(items: Iterable<Item>): ItemIndex {
  const children = new Map<string, Map<string, Item>>();
  /** The same as lists, made when they are asked for. */
  const lists = new Map<string, readonly Item[]>();
  const open = new Set<string>();

  function put(item: Item): void {
    const { itemId, parentItemId } = item.upsert;
    if (item.isOpen) open.add(itemId);
    else open.delete(itemId);
    if (parentItemId === undefined) return;
    const siblings = children.get(parentItemId) ?? new Map<string, Item>();
    children.set(parentItemId, siblings.set(itemId, item));
    lists.delete(parentItemId);
  }

  for (const item of items) put(item);
  return {
    put,
    childrenOf(itemId) {
      const list = lists.get(itemId) ?? [...(children.get(itemId)?.values() ?? [])];
      if (list.length > 0) lists.set(itemId, list);
      return list;
    },
    openIds: () => [...open],
  };
}
