import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** The latest state of an item, with the times that a single upsert does not carry. */
export interface Item {
  readonly upsert: UpsertObject;
  /** When the item started, if this page received its start. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** More may come: the item has not ended, and neither has its turn or the background work that it belongs to. */
  readonly isOpen: boolean;
}

export type ItemOf<T extends UpsertObject['type']> = Item & { readonly upsert: Extract<UpsertObject, { type: T }> };

export const isUnfinished = ({ status }: UpsertObject): boolean => status === 'create' || status === 'update';

export function runsInBackground(upsert: UpsertObject): boolean {
  return upsert.type === 'tool_call' && upsert.background === true && isUnfinished(upsert);
}

/**
 * Returns the item after `upsert`, or the same object if nothing changed, so that nothing is redrawn. An item that a
 * cancelled turn leaves unfinished does not become complete; it is closed because nothing goes on that it belongs to.
 */
export function nextItem(known: Item | undefined, upsert: UpsertObject, goesOn: boolean): Item {
  const isOpen = isUnfinished(upsert) && goesOn;
  if (known !== undefined && known.isOpen === isOpen && isSame(known.upsert, upsert)) return known;
  // Both times come from the server's clock. Source timestamps may come from different clocks.
  const at = Date.parse(upsert.emittedAt);
  return {
    upsert,
    isOpen,
    startedAt: known === undefined ? startOf(upsert) : known.startedAt,
    endedAt: isUnfinished(upsert) ? undefined : at,
  };
}

function startOf(upsert: UpsertObject): number | undefined {
  if (!isUnfinished(upsert)) return undefined;
  const startedAt = upsert.type === 'tool_call' ? upsert.startedAt : undefined;
  return Date.parse(startedAt ?? upsert.emittedAt);
}

/** Strings are compared directly: serialising a long text for every token would be slow. */
function isSame(a: UpsertObject, b: UpsertObject): boolean {
  const before: Readonly<Record<string, unknown>> = a;
  const after: Readonly<Record<string, unknown>> = b;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete('emittedAt');
  return [...names].every((name) => isEqual(before[name], after[name]));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}
