import { h } from '../dom.ts';

/**
 * Groups of successive blocks of a very long text. A group that is not in view is not laid out. The browser looks at
 * every group in every frame, so blocks are not skipped one by one.
 */
export interface BlockGroups {
  /** Adds a block after `last`, in the group of `last` if there is room. `cost`: see `MAX_COST`. */
  add(block: HTMLElement, last: HTMLElement | undefined, cost: number): void;
  /** Adds a block after `last`, outside of every group. */
  addAlone(block: HTMLElement, last: HTMLElement | undefined): void;
  remove(block: HTMLElement): void;
}

const MAX_BLOCKS = 40;
/** Tags that are laid out at once when a group comes into view. */
const MAX_COST = 250;
/** The height of a block that has not been laid out, in lines. */
const BLOCK_LINES = 3;

export function createBlockGroups(parent: HTMLElement): BlockGroups {
  const costs = new WeakMap<Element, number>();

  function groupOf(block: HTMLElement | undefined): HTMLElement | undefined {
    const outer = block?.parentElement;
    return outer && outer !== parent ? outer : undefined;
  }

  function insert(element: HTMLElement, last: HTMLElement | undefined): void {
    const before = groupOf(last) ?? last;
    if (before === undefined) parent.prepend(element);
    else before.after(element);
  }

  return {
    add(block, last, cost) {
      const open = groupOf(last);
      const sum = (open === undefined ? 0 : (costs.get(open) ?? 0)) + cost;
      const hasRoom = open !== undefined && open.childElementCount < MAX_BLOCKS && sum <= MAX_COST;
      const group = hasRoom ? open : h('div', { class: 'block-group' });
      if (!hasRoom) insert(group, last);
      group.append(block);
      costs.set(group, hasRoom ? sum : cost);
      group.style.containIntrinsicSize = `auto ${group.childElementCount * BLOCK_LINES}lh`;
    },
    addAlone: insert,
    remove(block) {
      const group = groupOf(block);
      block.remove();
      if (group?.childElementCount === 0) group.remove();
    },
  };
}
