import type { Steps } from '../../../time-slice.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { isBoundary, statedParent, type TranscriptTree } from './transcript-tree.ts';

/** What the model is given is on this chain. */
export interface Chain {
  /** Oldest first, from the last compaction on. */
  readonly entries: readonly TranscriptEntry[];
  /** The first entry names one before it that is not there, so that the model is given nothing from before. */
  readonly isBroken: boolean;
}

/** Follows the parents up from a leaf as Claude Code does when it resumes a conversation. */
export function* followChain(tree: TranscriptTree, leaf = tree.leaf): Steps<Chain> {
  const seen = new Set<TranscriptEntry>();
  const findNearest = createNearestFinder(tree, seen);
  let isBroken = false;
  for (let entry = leaf; entry !== undefined; ) {
    yield;
    seen.add(entry);
    if (isBoundary(entry)) break;
    const stated = relinked(tree, entry);
    const known = tree.find(stated);
    const parent: TranscriptEntry | undefined =
      stated === undefined || (known !== undefined && !seen.has(known)) ? known : yield* findNearest(entry);
    isBroken = stated !== undefined && parent === undefined;
    entry = parent;
  }
  return { entries: [...seen].reverse(), isBroken };
}

/** After a compaction the preserved entries stand between the summary and what came after it. */
export function relinked({ cut, find }: TranscriptTree, entry: TranscriptEntry): string | undefined {
  const { parentUuid } = entry;
  if (cut === undefined) return parentUuid;
  const place = cut.preserved.indexOf(entry);
  if (place === 0) return find(cut.anchor) === undefined ? undefined : cut.anchor;
  if (place > 0) return cut.preserved[place - 1]?.uuid;
  const parent = find(parentUuid);
  const isAfter = parentUuid === cut.anchor || (parent !== undefined && cut.isForgotten(parent));
  return isAfter ? cut.preserved.at(-1)?.uuid : parentUuid;
}

/** An entry whose parent is missing continues the one that was written last before it, if that was not long before. */
const MAX_GAP_MS = 5_000;
/** Transcripts with so many of them were not written by Claude Code. */
const MAX_ORPHANS = 20;

function createNearestFinder({ entries, cut }: TranscriptTree, seen: ReadonlySet<TranscriptEntry>) {
  let orphans = 0;

  return function* findNearest(orphan: TranscriptEntry): Steps<TranscriptEntry | undefined> {
    const until = timeOf(orphan);
    orphans += 1;
    if (until === undefined || orphans > MAX_ORPHANS) return undefined;
    let nearest: TranscriptEntry | undefined;
    let from = until - MAX_GAP_MS;
    for (const entry of entries) {
      yield;
      const at = timeOf(entry);
      if (at === undefined || at < from || at > until || seen.has(entry)) continue;
      if (entry.isSidechain === true || cut?.isForgotten(entry) === true) continue;
      nearest = entry;
      from = at;
    }
    return nearest;
  };
}

function timeOf({ timestamp }: TranscriptEntry): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp);
}

/** The conversation before a compaction: the model is not given it, but it stays to be seen. */
export function* climbBefore(tree: TranscriptTree, boundary: TranscriptEntry): Steps<ReadonlySet<TranscriptEntry>> {
  const seen = new Set<TranscriptEntry>([boundary]);
  for (let entry: TranscriptEntry | undefined = boundary; entry !== undefined; ) {
    yield;
    const stated = statedParent(entry);
    if (stated === undefined && !isBoundary(entry)) break;
    const known: TranscriptEntry | undefined = tree.find(stated);
    entry = known === undefined || seen.has(known) ? tree.before(entry) : known;
    if (entry === undefined || seen.has(entry)) break;
    seen.add(entry);
  }
  return seen;
}
