import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { JournalChange } from './journal.ts';

export type Growth = Extract<JournalChange, { kind: 'growth' }>;

/**
 * The item after its text grew. A growth that was applied before changes nothing; one that does not fit, because
 * something before it is missing, is ignored.
 */
export function grow(upsert: UpsertObject, { at, text, emittedAt }: Pick<Growth, 'at' | 'text' | 'emittedAt'>) {
  if (upsert.type === 'tool_call' || at > upsert.content.length) return upsert;
  return { ...upsert, content: upsert.content.slice(0, at) + text, emittedAt };
}

/** Two growths of an item as one. */
export function joinGrowths(first: Growth, next: Growth): Growth {
  if (next.at < first.at) return next;
  const length = next.at - first.at;
  if (length > first.text.length) return first;
  return { ...next, at: first.at, text: first.text.slice(0, length) + next.text };
}
