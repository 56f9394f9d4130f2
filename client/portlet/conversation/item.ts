import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** One item of the conversation as last told, with the times that single upserts do not carry. */
export interface Item {
  readonly upsert: UpsertObject;
  /** When it began, if this page saw it beginning. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

export const isOpen = ({ status }: UpsertObject): boolean => status === 'create' || status === 'update';

/** The item after `upsert`; the same object when nothing in it changed, so that nothing is drawn again. */
export function nextItem(known: Item | undefined, upsert: UpsertObject): Item {
  const at = Date.parse(upsert.sourceTimestamp);
  if (known === undefined) {
    return { upsert, startedAt: isOpen(upsert) ? at : undefined, endedAt: isOpen(upsert) ? undefined : at };
  }
  if (isSame(known.upsert, upsert)) return known;
  return { upsert, startedAt: known.startedAt, endedAt: isOpen(upsert) ? undefined : at };
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
