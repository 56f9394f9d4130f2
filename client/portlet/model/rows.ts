import type { TurnSummary } from '../../../shared/stream-contracts.ts';
import type { Item } from './item.ts';
import type { PendingSend } from './pending-sends.ts';

/** One line of the conversation's outermost level, top to bottom. The key of an item is its id. */
export type Row =
  | { readonly kind: 'item'; readonly key: string }
  | { readonly kind: 'end'; readonly key: string; readonly turn: TurnSummary; readonly isLast: boolean }
  | { readonly kind: 'pending'; readonly key: string; readonly content: string };

export interface RowSources {
  /** In order of first appearance. */
  readonly items: ReadonlyMap<string, Item>;
  readonly turns: ReadonlyMap<string, TurnSummary>;
  readonly pending: readonly PendingSend[];
}

/** The outermost items in their order, each turn's end after the last of its items, and what is on its way at the end. */
export function layOutRows({ items, turns, pending }: RowSources): Row[] {
  const outermost = [...items.values()].filter((item) => parentOf(item, items) === undefined);
  const lastOfTurn = new Map(outermost.map((item) => [item.upsert.turnId, item]));
  const lastTurn = outermost.at(-1)?.upsert.turnId;
  const rows: Row[] = [];
  for (const item of outermost) {
    rows.push({ kind: 'item', key: item.upsert.itemId });
    const turn = turns.get(item.upsert.turnId);
    if (turn === undefined || lastOfTurn.get(turn.turnId) !== item || !hasEnd(turn, item)) continue;
    const isLast = turn.turnId === lastTurn && pending.length === 0;
    rows.push({ kind: 'end', key: `end:${turn.turnId}`, turn, isLast });
  }
  for (const { sendId, content } of pending) rows.push({ kind: 'pending', key: `pending:${sendId}`, content });
  return rows;
}

/** The item under which this one belongs, if it is known. */
export function parentOf({ upsert }: Item, items: ReadonlyMap<string, Item>): Item | undefined {
  return upsert.parentItemId === undefined ? undefined : items.get(upsert.parentItemId);
}

/** A message taken into another's turn ends with it; one line says so, where the answer is. */
function hasEnd(turn: TurnSummary, last: Item): boolean {
  if (turn.status === 'running') return false;
  const isOnlyQuestion = last.upsert.type === 'message' && last.upsert.origin === 'user';
  return turn.status !== 'completed' || !isOnlyQuestion;
}
