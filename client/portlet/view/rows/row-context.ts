import type { View } from '../../base/view.ts';
import type { Item } from '../../model/item.ts';
import type { SentState } from '../../model/sent-state.ts';
import type { Drawing } from '../text/drawing.ts';

/** What a button inside the conversation asks the page to do. */
export type RowAction =
  | { readonly type: 'reconnect' }
  | { readonly type: 'send-again'; readonly turnId: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'stop-background'; readonly itemId: string };

/** What the rows need from the page. */
export interface RowContext {
  readonly now: () => number;
  readonly projectPath: () => string;
  readonly itemOf: (itemId: string) => Item | undefined;
  /** Creates the view of an item nested in another row. */
  readonly viewOf: (item: Item) => View<Item>;
  /** How far the user's message of a turn has come. */
  readonly sentStateOf: (turnId: string) => SentState | undefined;
  readonly childrenOf: (itemId: string) => readonly Item[];
  /** Called with each finished block of Markdown, whose code can now be highlighted. */
  readonly onSettled: (block: HTMLElement) => void;
  readonly drawing: Drawing;
  /** The user asked to stop this background work, which has not ended yet. */
  readonly isStopping: (itemId: string) => boolean;
  readonly onAction: (action: RowAction) => void;
  /** Calls back every second until the returned function is called. */
  readonly everySecond: (callback: () => void) => () => void;
}
