import type { Steps } from '../../../time-slice.ts';
import { isMessage } from './entry-kinds.ts';
import type { Remembered } from './remembered-entries.ts';
import { continuesBatch, isBesideSplitAnswer } from './transcript-beside.ts';
import { type Checkpoint, readCheckpoint } from './transcript-checkpoint.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/**
 * The message that Claude Code goes on from. A process leaves a checkpoint when it exits, and the last one counts, unless
 * the last entry of the file descends from it. Where a compaction relinked the entries it only counts if it names the last
 * message of a branch, or was chosen by somebody.
 */
export function* chooseLeaf(
  all: readonly TranscriptEntry[],
  rows: Remembered,
  { isRelinked }: { readonly isRelinked: boolean },
): Steps<TranscriptEntry | undefined> {
  const checkpoint = yield* readCheckpoint(all);
  if (checkpoint.isCleared) return undefined;
  const named = rows.find(checkpoint.leafUuid);
  const last = rows.find(checkpoint.lastRow);
  if (!isRelinked || (checkpoint.isChosen && named !== undefined && named.isSidechain !== true)) {
    const isPast = named !== undefined && (yield* isPassed(rows, checkpoint, named, last, true));
    const unnamed = isRelinked || checkpoint.hasTrailingSnapshot ? undefined : yield* newestOf(rows, checkpoint, last);
    const start = isPast ? last : (named ?? unnamed);
    const message = start && nearestMessage(rows, start);
    if (message !== undefined) return message;
  }
  const leaves = yield* findLeaves(rows);
  if (leaves.size > 1) {
    const isNamed =
      named !== undefined && leaves.has(named) && !(yield* isPassed(rows, checkpoint, named, last, false));
    const start = isNamed ? named : checkpoint.hasTrailingSnapshot ? undefined : last;
    const message = start && nearestMessage(rows, start);
    if (message !== undefined) return message;
  }
  const isMain = (entry: TranscriptEntry) => entry.isSidechain !== true;
  return yield* newest(leaves.size > 0 ? [...leaves].filter(isMain) : rows.entries.filter(isMain));
}

/** Whether the conversation has gone on from the checkpoint. */
function* isPassed(
  rows: Remembered,
  checkpoint: Checkpoint,
  named: TranscriptEntry,
  last: TranscriptEntry | undefined,
  isDirect: boolean,
): Steps<boolean> {
  if (checkpoint.isChosen || last === undefined || (isDirect && last === named)) return false;
  if (isDirect && (yield* descends(rows, last, named))) return true;
  if (!checkpoint.wasChosen && (yield* continuesBatch(rows, last, named))) return true;
  return yield* isBesideSplitAnswer(rows, last, named, checkpoint);
}

function* descends(rows: Remembered, last: TranscriptEntry, from: TranscriptEntry): Steps<boolean> {
  const seen = new Set<TranscriptEntry>();
  for (let entry: TranscriptEntry | undefined = last; entry !== undefined && !seen.has(entry); ) {
    yield;
    if (entry === from) return true;
    seen.add(entry);
    entry = rows.find(rows.parentOf(entry));
  }
  return false;
}

/** Without a checkpoint: the last entry, or the newest one that descends from it though it stands before it. */
function* newestOf(
  rows: Remembered,
  { hasNamed, newestRow, lastRow }: Checkpoint,
  last: TranscriptEntry | undefined,
): Steps<TranscriptEntry | undefined> {
  if (hasNamed || last === undefined || newestRow === undefined || newestRow === lastRow) return last;
  const known = new Map<TranscriptEntry, boolean>([[last, true]]);
  let newest = last;
  let at = '';
  for (const entry of rows.entries) {
    const path: TranscriptEntry[] = [];
    let each: TranscriptEntry | undefined = entry;
    for (; each !== undefined && !known.has(each); each = rows.find(rows.parentOf(each))) {
      yield;
      known.set(each, false);
      path.push(each);
    }
    const isBelow = each !== undefined && known.get(each) === true;
    for (const one of path) known.set(one, isBelow);
    const { timestamp } = entry;
    if (entry === last || entry.isSidechain === true || timestamp === undefined || timestamp < at) continue;
    if (known.get(entry) !== true) continue;
    newest = entry;
    at = timestamp;
  }
  return newest;
}

/** Up from an entry, with itself. */
export function nearestMessage(rows: Remembered, from: TranscriptEntry): TranscriptEntry | undefined {
  const seen = new Set<TranscriptEntry>();
  let entry: TranscriptEntry | undefined = from;
  while (entry !== undefined && !isMessage(entry)) {
    if (seen.has(entry)) return undefined;
    seen.add(entry);
    entry = rows.find(rows.parentOf(entry));
  }
  return entry;
}

/** The messages at the ends of all branches. */
function* findLeaves(rows: Remembered): Steps<ReadonlySet<TranscriptEntry>> {
  const parents = new Set<string | undefined>();
  const answered = new Set<string | undefined>();
  for (const entry of rows.entries) {
    yield;
    const parent = rows.parentOf(entry);
    parents.add(parent);
    if (isMessage(entry)) answered.add(parent);
  }
  const leaves = new Set<TranscriptEntry>();
  const seen = new Set<TranscriptEntry>();
  for (const entry of rows.entries) {
    if (parents.has(entry.uuid)) continue;
    let message: TranscriptEntry | undefined = entry;
    while (message !== undefined && !isMessage(message) && !seen.has(message)) {
      yield;
      seen.add(message);
      message = rows.find(rows.parentOf(message));
    }
    if (message !== undefined && isMessage(message) && !answered.has(message.uuid)) leaves.add(message);
  }
  return leaves;
}

/** The first of those with the latest time. */
function* newest(entries: readonly TranscriptEntry[]): Steps<TranscriptEntry | undefined> {
  let found: TranscriptEntry | undefined;
  let latest = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    yield;
    const at = Date.parse(entry.timestamp ?? '');
    if (!(at > latest)) continue;
    found = entry;
    latest = at;
  }
  return found;
}
