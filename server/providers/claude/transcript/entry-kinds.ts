import type { TranscriptEntry, TranscriptEntryOf } from './transcript-entry.ts';

export type Boundary = TranscriptEntryOf<'system'>;

/** Where the conversation was compacted. */
export const isBoundary = (entry: TranscriptEntry): entry is Boundary =>
  entry.type === 'system' && entry.subtype === 'compact_boundary';

export const isMessage = ({ type }: TranscriptEntry) => type === 'user' || type === 'assistant';

/** Whether the entry is part of the tree, if nothing else is wrong with it. */
export function isLinked({ type, uuid }: TranscriptEntry): boolean {
  if (uuid === undefined) return false;
  return type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment' || type === 'progress';
}

/** The parent that the entry names. A compaction has none, but names what it comes after. */
export function statedParent(entry: TranscriptEntry): string | undefined {
  return entry.parentUuid ?? (entry.type === 'system' ? entry.logicalParentUuid : undefined);
}

/** The ids of the calls in an entry. */
export const callsIn = (entry: TranscriptEntry) => idsIn(entry, 'id', (type) => type.endsWith('tool_use'));

/** The ids of the calls whose results are in an entry. */
export const resultsIn = (entry: TranscriptEntry) =>
  idsIn(entry, 'tool_use_id', (type) => type.endsWith('tool_result'));

function idsIn(entry: TranscriptEntry, key: string, isMeant: (type: string) => boolean): string[] {
  const content = entry.type === 'user' || entry.type === 'assistant' ? entry.message?.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (typeof block !== 'object' || block === null) return [];
    const { type, [key]: id } = block as Readonly<Record<string, unknown>>;
    return typeof type === 'string' && isMeant(type) && typeof id === 'string' ? [id] : [];
  });
}
