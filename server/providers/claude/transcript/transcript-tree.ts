import type { Steps } from '../../../time-slice.ts';
import { isLinked } from './entry-kinds.ts';
import { type Cut, findCut, recall } from './remembered-entries.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { chooseLeaf, nearestMessage } from './transcript-leaf.ts';

/**
 * A transcript is a tree: going back in a conversation and saying something else, or two programs that write at once, make
 * branches. This follows Claude Code in which of them is continued. Entries of types that are unknown are not part of it.
 */
export interface TranscriptTree {
  /** In file order. Of entries with the same uuid the last one, at the place of the first. */
  readonly entries: readonly TranscriptEntry[];
  find(uuid: string | undefined): TranscriptEntry | undefined;
  /** The entry before it in the file. */
  before(entry: TranscriptEntry): TranscriptEntry | undefined;
  isEarlier(one: TranscriptEntry, other: TranscriptEntry): boolean;
  /** The message that Claude Code goes on from when it resumes the conversation. */
  readonly leaf: TranscriptEntry | undefined;
  /** The last entry of the file, if Claude Code goes on from another message. */
  readonly passedOver: TranscriptEntry | undefined;
  /** The last compaction, if it or one before it preserved entries. All others from before it are forgotten. */
  readonly cut: Cut | undefined;
}

export function* growTree(all: readonly TranscriptEntry[]): Steps<TranscriptTree> {
  const byUuid = new Map<string, TranscriptEntry>();
  for (const entry of all) {
    yield;
    if (isLinked(entry)) byUuid.set(entry.uuid ?? '', entry);
  }
  const entries: TranscriptEntry[] = [];
  const places = new Map<TranscriptEntry, number>();
  for (const each of all) {
    yield;
    const entry = isLinked(each) ? byUuid.get(each.uuid ?? '') : undefined;
    if (entry === undefined || places.has(entry)) continue;
    places.set(entry, entries.length);
    entries.push(entry);
  }
  const find = (uuid: string | undefined) => (uuid === undefined ? undefined : byUuid.get(uuid));
  const isEarlier = (one: TranscriptEntry, other: TranscriptEntry) => (places.get(one) ?? 0) < (places.get(other) ?? 0);
  const cut = yield* findCut(entries, find, isEarlier);
  const remembered = yield* recall({ entries, find, cut });
  const leaf = yield* chooseLeaf(all, remembered, { isRelinked: (cut?.preserved.length ?? 0) > 0 });
  const last = remembered.entries.findLast((entry) => entry.isSidechain !== true);
  const isLast = last === undefined || leaf === nearestMessage(remembered, last);
  return {
    entries,
    find,
    before: (entry) => entries[(places.get(entry) ?? 0) - 1],
    isEarlier,
    leaf,
    passedOver: isLast ? undefined : last,
    cut,
  };
}
