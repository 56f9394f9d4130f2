import type { TurnSummary } from '../../../shared/stream-contracts.ts';
import type { Item } from './item.ts';
import type { PendingSend } from './pending-sends.ts';

/** A row of the conversation's outermost level. The key of an item row is the item's id. */
export type Row =
  | { readonly kind: 'item'; readonly key: string }
  | { readonly kind: 'end'; readonly key: string; readonly turn: TurnSummary; readonly isLast: boolean }
  | { readonly kind: 'pending'; readonly key: string; readonly turnId: string; readonly content: string }
  /** Above a run of items that the model does not have. */
  | { readonly kind: 'not-in-context'; readonly key: string };

export const pendingKey = (turnId: string): string => `pending:${turnId}`;

export interface RowSources {
  /** In order of first appearance. */
  readonly items: ReadonlyMap<string, Item>;
  readonly turns: ReadonlyMap<string, TurnSummary>;
  readonly pending: readonly PendingSend[];
}

/**
 * The outermost items in order, a line above each run of items that the model does not have, the end of each turn after
 * its last item, and pending messages at the end.
 */
export function layOutRows({ items, turns, pending }: RowSources): Row[] {
  const outermost = [...items.values()].filter((item) => parentOf(item, items) === undefined);
  const lastOfTurn = new Map(outermost.map((item) => [item.upsert.turnId, item]));
  const lastTurn = outermost.at(-1)?.upsert.turnId;
  const rows: Row[] = [];
  let wasInContext = true;
  for (const item of outermost) {
    const isInContext = item.upsert.inContext !== false;
    if (wasInContext && !isInContext)
      rows.push({ kind: 'not-in-context', key: `not-in-context:${item.upsert.itemId}` });
    wasInContext = isInContext;
    rows.push({ kind: 'item', key: item.upsert.itemId });
    const turn = turns.get(item.upsert.turnId);
    if (turn === undefined || lastOfTurn.get(turn.turnId) !== item || !hasEnd(turn, item)) continue;
    const isLast = turn.turnId === lastTurn && pending.length === 0;
    rows.push({ kind: 'end', key: `end:${turn.turnId}`, turn, isLast });
  }
  for (const { turnId, content } of pending) rows.push({ kind: 'pending', key: pendingKey(turnId), turnId, content });
  return rows;
}

export function parentOf({ upsert }: Item, items: ReadonlyMap<string, Item>): Item | undefined {
  return upsert.parentItemId === undefined ? undefined : items.get(upsert.parentItemId);
}

/** A message that was merged into another turn ends with that turn, which already has a row for its end. */
function hasEnd(turn: TurnSummary, last: Item): boolean {
  if (turn.status === 'running') return false;
  const hasNoAnswer = last.upsert.type === 'message' && last.upsert.origin === 'user';
  return turn.status !== 'completed' || !hasNoAnswer;
}
