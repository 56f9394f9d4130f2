import type { Item } from '../model/item.ts';
import type { RowAction } from '../view/rows/row-context.ts';

/** An element that follows a value. `update` with the value it already shows does nothing. */
export interface View<T> {
  readonly element: HTMLElement;
  update(value: T): void;
}

/** What the rows need from the page around them. */
export interface RowContext {
  readonly now: () => number;
  readonly projectPath: () => string;
  readonly itemOf: (itemId: string) => Item | undefined;
  /** The view for an item inside another row. */
  readonly viewOf: (item: Item) => View<Item>;
  readonly childrenOf: (itemId: string) => readonly Item[];
  /** A finished block of Markdown: its code may be coloured. */
  readonly onSettled: (block: HTMLElement) => void;
  readonly onAction: (action: RowAction) => void;
  /** Calls back every second while something runs; the function returned ends it. */
  readonly everySecond: (callback: () => void) => () => void;
}
