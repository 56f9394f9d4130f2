import type { Steps } from '../../../time-slice.ts';
import { isBoundary, isMessage, statedParent } from './entry-kinds.ts';
import { createNearestFinder } from './nearest-entry.ts';
import { type Remembered, recall } from './remembered-entries.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import type { TranscriptTree } from './transcript-tree.ts';

/** What the model is given is on this chain. */
export interface Chain {
  /** Oldest first, from the last compaction on. */
  readonly entries: readonly TranscriptEntry[];
  /** The first entry names one before it that is not there, so that the model is given nothing from before. */
  readonly isBroken: boolean;
}

/** Follows the parents up from a leaf as Claude Code does when it resumes a conversation. */
export function* followChain(tree: TranscriptTree, leaf = tree.leaf): Steps<Chain> {
  const rows = yield* recall(tree);
  const seen = new Set<TranscriptEntry>();
  const findNearest = createNearestFinder(rows.entries, seen);
  let isBroken = false;
  for (let entry = leaf; entry !== undefined; ) {
    yield;
    seen.add(entry);
    if (isBoundary(entry)) break;
    const stated = rows.parentOf(entry);
    const known = rows.find(stated);
    const parent: TranscriptEntry | undefined =
      stated === undefined || (known !== undefined && !seen.has(known)) ? known : yield* findNearest(entry);
    isBroken = stated !== undefined && parent === undefined;
    entry = parent;
  }
  const chain = [...seen].reverse();
  const after = leaf === undefined ? [] : yield* listAfter(rows, leaf, seen);
  return { entries: [...chain, ...after], isBroken };
}

/** What comes after the last message and is none, such as notices and the output of commands. */
function* listAfter(
  rows: Remembered,
  leaf: TranscriptEntry,
  seen: Set<TranscriptEntry>,
): Steps<readonly TranscriptEntry[]> {
  const children = new Map<string | undefined, TranscriptEntry[]>();
  for (const entry of rows.entries) {
    yield;
    const parent = isMessage(entry) ? undefined : rows.parentOf(entry);
    const known = children.get(parent);
    if (parent === undefined) continue;
    if (known === undefined) children.set(parent, [entry]);
    else known.push(entry);
  }
  const after: TranscriptEntry[] = [];
  const open: TranscriptEntry[] = [leaf];
  for (const entry of open) {
    for (const child of children.get(entry.uuid) ?? []) {
      yield;
      if (seen.has(child)) continue;
      seen.add(child);
      after.push(child);
      open.push(child);
    }
  }
  const at = ({ timestamp = '' }: TranscriptEntry) => timestamp;
  return after.sort((one, other) => (at(one) < at(other) ? -1 : at(one) > at(other) ? 1 : 0));
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
