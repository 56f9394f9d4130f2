import type { Steps } from '../../../time-slice.ts';
import { type Boundary, isBoundary, isMessage } from './entry-kinds.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

export interface Cut {
  readonly boundary: Boundary;
  /** The summary. */
  readonly anchor: string | undefined;
  /** Come right after the summary. */
  readonly preserved: readonly TranscriptEntry[];
  isForgotten(entry: TranscriptEntry): boolean;
}

interface Tree {
  readonly entries: readonly TranscriptEntry[];
  find(uuid: string | undefined): TranscriptEntry | undefined;
  readonly cut: Cut | undefined;
}

/** The entries that are not forgotten, linked as Claude Code links them. */
export interface Remembered {
  readonly entries: readonly TranscriptEntry[];
  find(uuid: string | undefined): TranscriptEntry | undefined;
  /** The id of the entry before it, which may not be there. */
  parentOf(entry: TranscriptEntry): string | undefined;
}

export function* recall({ entries, find, cut }: Tree): Steps<Remembered> {
  if (cut === undefined) return { entries, find, parentOf: ({ parentUuid }) => parentUuid || undefined };
  const remembered: TranscriptEntry[] = [];
  for (const entry of entries) {
    yield;
    if (!cut.isForgotten(entry)) remembered.push(entry);
  }
  return {
    entries: remembered,
    find: (uuid) => {
      const entry = find(uuid);
      return entry === undefined || cut.isForgotten(entry) ? undefined : entry;
    },
    parentOf: (entry) => relinked({ cut, find }, entry) || undefined,
  };
}

/** After a compaction the preserved entries stand between the summary and what came after it. */
export function relinked({ cut, find }: Omit<Tree, 'entries'>, entry: TranscriptEntry): string | undefined {
  const { parentUuid } = entry;
  if (cut === undefined || cut.preserved.length === 0) return parentUuid;
  const place = cut.preserved.indexOf(entry);
  if (place >= 0) return place === 0 ? cut.anchor : cut.preserved[place - 1]?.uuid;
  const parent = find(parentUuid);
  const isAfter = parent !== undefined && cut.isForgotten(parent) && isMessage(entry);
  return isAfter || parentUuid === cut.anchor ? cut.preserved.at(-1)?.uuid : parentUuid;
}

export function* findCut(
  entries: readonly TranscriptEntry[],
  find: Tree['find'],
  isEarlier: (one: TranscriptEntry, other: TranscriptEntry) => boolean,
): Steps<Cut | undefined> {
  const boundary = entries.findLast(isBoundary);
  const isPreserving = (entry: TranscriptEntry) =>
    isBoundary(entry) && (entry.compactMetadata?.preservedMessages ?? entry.compactMetadata?.preservedSegment);
  if (boundary === undefined || !entries.some(isPreserving)) return undefined;
  const { anchor, uuids } = (isPreserving(boundary) ? yield* listPreserved(boundary, find) : { uuids: [] }) ?? {};
  const preserved = uuids?.map(find).filter((entry) => entry !== undefined) ?? [];
  if (uuids === undefined || preserved.length < uuids.length) return undefined;
  const kept = new Set(preserved);
  const isForgotten = (entry: TranscriptEntry) => isEarlier(entry, boundary) && !kept.has(entry);
  return { boundary, anchor, preserved, isForgotten };
}

/** Undefined if an older version named entries that are not linked. */
function* listPreserved({ compactMetadata }: Boundary, find: Tree['find']) {
  const { preservedMessages, preservedSegment } = compactMetadata ?? {};
  if (preservedMessages !== undefined)
    return { anchor: preservedMessages.anchorUuid, uuids: preservedMessages.uuids ?? [] };
  const seen = new Set<string>();
  for (let entry = find(preservedSegment?.tailUuid); entry?.uuid !== undefined && !seen.has(entry.uuid); ) {
    yield;
    seen.add(entry.uuid);
    if (entry.uuid === preservedSegment?.headUuid)
      return { anchor: preservedSegment.anchorUuid, uuids: [...seen].reverse() };
    entry = find(entry.parentUuid);
  }
  return undefined;
}
