import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** One item of the conversation as last told, with the times that single upserts do not carry. */
export interface Item {
  readonly upsert: UpsertObject;
  /** When it began, if this page saw it beginning. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** More of it may come: it has not ended, and neither has its turn. */
  readonly isOpen: boolean;
}

export type ItemOf<T extends UpsertObject['type']> = Item & { readonly upsert: Extract<UpsertObject, { type: T }> };

/**
 * The item after `upsert`; the same object when nothing in it changed, so that nothing is drawn again. What a
 * cancelled turn leaves unfinished is never called complete: it is closed because its turn has ended.
 */
export function nextItem(known: Item | undefined, upsert: UpsertObject, hasTurnEnded: boolean): Item {
  const isUnfinished = upsert.status === 'create' || upsert.status === 'update';
  const isOpen = isUnfinished && !hasTurnEnded;
  if (known !== undefined && known.isOpen === isOpen && isSame(known.upsert, upsert)) return known;
  // The server's clock on both ends; times of the source may come from two.
  const at = Date.parse(upsert.emittedAt);
  return {
    upsert,
    isOpen,
    startedAt: known === undefined && isUnfinished ? at : known?.startedAt,
    endedAt: isUnfinished ? undefined : at,
  };
}

/** Told again, not changed. Texts are compared as they are: turning long ones into JSON first would cost every token. */
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
