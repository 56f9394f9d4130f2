import type { Steps } from '../../../time-slice.ts';
import type { TranscriptEntry, TranscriptEntryOf } from './transcript-entry.ts';

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
  /** The entry that Claude Code goes on from when it resumes the conversation. */
  readonly leaf: TranscriptEntry | undefined;
  /** The last entry of the file, if Claude Code goes on from another one. */
  readonly passedOver: TranscriptEntry | undefined;
  /** The last compaction, if entries from before it stay in the context. All others from before it are forgotten. */
  readonly cut: Cut | undefined;
}

export type Boundary = TranscriptEntryOf<'system'>;

interface Cut {
  readonly boundary: Boundary;
  /** The summary. */
  readonly anchor: string | undefined;
  /** Come right after the summary. */
  readonly preserved: readonly TranscriptEntry[];
  isForgotten(entry: TranscriptEntry): boolean;
}

/** Where the conversation was compacted. */
export const isBoundary = (entry: TranscriptEntry): entry is Boundary =>
  entry.type === 'system' && entry.subtype === 'compact_boundary';

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
  const cut = findCut(entries, find, isEarlier);
  const last = entries.findLast((entry) => entry.isSidechain !== true);
  const checkpoint = yield* findCheckpoint(all, entries, find, cut);
  // A row that is written again keeps its place, but counts as the last one here.
  const written = checkpoint && find(all.findLast((entry) => isLinked(entry) && entry.isSidechain !== true)?.uuid);
  const leaf = checkpoint === undefined ? last : yield* findLeaf(checkpoint, written, find);
  return {
    entries,
    find,
    before: (entry) => entries[(places.get(entry) ?? 0) - 1],
    isEarlier,
    leaf,
    passedOver: leaf === last ? undefined : last,
    cut,
  };
}

function isLinked({ type, uuid }: TranscriptEntry): boolean {
  if (uuid === undefined) return false;
  return type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment' || type === 'progress';
}

function findCut(
  entries: readonly TranscriptEntry[],
  find: TranscriptTree['find'],
  isEarlier: TranscriptTree['isEarlier'],
): Cut | undefined {
  const boundary = entries.findLast(isBoundary);
  const { anchorUuid, uuids = [] } = boundary?.compactMetadata?.preservedMessages ?? {};
  const preserved = uuids.map(find).filter((entry) => entry !== undefined);
  if (boundary === undefined || preserved.length === 0 || preserved.length < uuids.length) return undefined;
  const kept = new Set(preserved);
  const isForgotten = (entry: TranscriptEntry) => isEarlier(entry, boundary) && !kept.has(entry);
  return { boundary, anchor: anchorUuid, preserved, isForgotten };
}

/**
 * The last checkpoint. A process that goes back writes an id that no entry has. One that does not belong to a message does not
 * count, and after a compaction only one that is the last message of a branch: what Claude Code writes after it is not.
 */
function* findCheckpoint(
  all: readonly TranscriptEntry[],
  entries: readonly TranscriptEntry[],
  find: TranscriptTree['find'],
  cut: Cut | undefined,
): Steps<TranscriptEntry | undefined> {
  const last = all.findLast((entry) => entry.type === 'last-prompt' && entry.leafUuid !== undefined);
  const named = find(last?.type === 'last-prompt' ? last.leafUuid : undefined);
  if (named === undefined || cut?.isForgotten(named)) return undefined;
  if (cut === undefined) return (yield* messageOf(named, find)) === undefined ? undefined : named;
  const parents = new Set(entries.map(({ parentUuid }) => parentUuid));
  for (const entry of isMessage(named) ? entries : []) {
    if (!parents.has(entry.uuid) && (yield* messageOf(entry, find)) === named) return named;
  }
  return undefined;
}

/** The message that an entry is, or comes after. */
function* messageOf(entry: TranscriptEntry, find: TranscriptTree['find']): Steps<TranscriptEntry | undefined> {
  const seen = new Set<TranscriptEntry>();
  let message: TranscriptEntry | undefined = entry;
  while (message !== undefined && !isMessage(message)) {
    yield;
    if (seen.has(message)) return undefined;
    seen.add(message);
    message = find(message.parentUuid);
  }
  return message;
}

const isMessage = ({ type }: TranscriptEntry) => type === 'user' || type === 'assistant';

/**
 * A process leaves a checkpoint when it exits. Claude Code goes on from the last one, unless the last entry of the file
 * descends from it.
 */
function* findLeaf(
  checkpoint: TranscriptEntry,
  last: TranscriptEntry | undefined,
  find: TranscriptTree['find'],
): Steps<TranscriptEntry | undefined> {
  const seen = new Set<TranscriptEntry>();
  for (let entry = last; entry !== undefined && !seen.has(entry); entry = find(statedParent(entry))) {
    yield;
    if (entry === checkpoint) return last;
    seen.add(entry);
  }
  return checkpoint;
}

/** The parent that the entry names. A compaction has none, but names what it comes after. */
export function statedParent(entry: TranscriptEntry): string | undefined {
  return entry.parentUuid ?? (entry.type === 'system' ? entry.logicalParentUuid : undefined);
}
