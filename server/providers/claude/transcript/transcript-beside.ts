import type { Steps } from '../../../time-slice.ts';
import { callsIn, resultsIn } from './entry-kinds.ts';
import type { Remembered } from './remembered-entries.ts';
import type { Checkpoint } from './transcript-checkpoint.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** A result or a note, which may stand between the blocks of an answer. */
const isAside = (entry: TranscriptEntry) =>
  isNote(entry) || (entry.type === 'user' && (entry.isMeta === true || resultsIn(entry).length > 0));

function isNote(entry: TranscriptEntry): boolean {
  if (entry.type === 'system') return entry.subtype !== 'compact_boundary';
  if (entry.type === 'user') return entry.isMeta === true && resultsIn(entry).length === 0;
  return entry.type === 'attachment';
}

const messageIdOf = (entry: TranscriptEntry | undefined) =>
  entry?.type === 'assistant' ? entry.message?.id : undefined;

const isOf = (entry: TranscriptEntry, id: string) => messageIdOf(entry) === id;

/** What stands above an entry and belongs to the same answer, nearest first. */
function* sameAnswer(rows: Remembered, from: TranscriptEntry, id: string): Steps<readonly TranscriptEntry[]> {
  const above = new Set([from]);
  const up = (entry: TranscriptEntry) => rows.find(rows.parentOf(entry));
  for (let entry = up(from); entry !== undefined && !above.has(entry); entry = up(entry)) {
    yield;
    if (!isOf(entry, id) && !isAside(entry)) break;
    above.add(entry);
  }
  return [...above].slice(1);
}

/** The block with the call that a checkpoint belongs to, and the calls whose results it has. */
function* findBatch(rows: Remembered, named: TranscriptEntry) {
  const seen = new Set<TranscriptEntry>();
  let note: TranscriptEntry | undefined;
  let entry: TranscriptEntry | undefined = named;
  for (; entry !== undefined && isNote(entry) && !seen.has(entry); entry = rows.find(rows.parentOf(entry))) {
    yield;
    seen.add(entry);
    note = entry;
  }
  if (entry?.type === 'user' && resultsIn(entry).length > 0)
    return { block: rows.find(rows.parentOf(entry)), done: resultsIn(entry), isHook: false };
  if (note === undefined) return { block: entry, done: [], isHook: false };
  const call = note.type === 'attachment' ? note.attachment?.toolUseID : undefined;
  const id = messageIdOf(entry);
  if (call === undefined || entry === undefined || id === undefined)
    return { block: undefined, done: [], isHook: false };
  const above: readonly TranscriptEntry[] = yield* sameAnswer(rows, entry, id);
  const block = [entry, ...above].find((each) => callsIn(each).includes(call));
  return { block, done: block === undefined ? [] : [call], isHook: block !== undefined };
}

/** Whether the last entry continues another one of the calls that were made at once with that of the checkpoint. */
export function* continuesBatch(rows: Remembered, last: TranscriptEntry, named: TranscriptEntry): Steps<boolean> {
  const { block, done, isHook } = yield* findBatch(rows, named);
  const calls = block === undefined ? [] : callsIn(block);
  const id = calls.length > 0 ? messageIdOf(block) : undefined;
  if (block === undefined) return false;
  const above = new Set(id === undefined ? [] : yield* sameAnswer(rows, block, id));
  const seen = new Set<TranscriptEntry>();
  let below: TranscriptEntry | undefined;
  let isSplit = false;
  for (let entry: TranscriptEntry | undefined = last; entry !== undefined && !seen.has(entry); ) {
    yield;
    seen.add(entry);
    if (id !== undefined) {
      if (isSplit && entry === block) return true;
      if (entry !== block && isOf(entry, id) && callsIn(entry).length > 0) {
        if (above.has(entry)) return true;
        isSplit = true;
      } else if (!isOf(entry, id) && !isAside(entry)) isSplit = false;
    }
    const others =
      entry === block && below !== undefined ? resultsIn(below).filter((call) => calls.includes(call)) : [];
    const isOther = isHook ? calls.length > 1 : others.some((call) => !done.includes(call));
    if (others.length > 0 && isOther && done.some((call) => calls.includes(call))) return true;
    below = entry;
    entry = rows.find(rows.parentOf(entry));
  }
  return false;
}

/** Whether the last entry goes on from a note between the blocks of the answer that the checkpoint names. */
export function* isBesideSplitAnswer(
  rows: Remembered,
  last: TranscriptEntry,
  named: TranscriptEntry,
  { wasRewound, sinceRewound }: Checkpoint,
): Steps<boolean> {
  const id = messageIdOf(named);
  if (id === undefined || last === named) return false;
  const above: readonly TranscriptEntry[] = yield* sameAnswer(rows, named, id);
  const first = above.findLastIndex((entry) => isOf(entry, id));
  const notes = above.slice(0, Math.max(first, 0)).filter((entry) => !isOf(entry, id));
  const [nearest] = notes;
  const isCall = [named, ...above].some((entry) => isOf(entry, id) && callsIn(entry).length > 0);
  const isSilent = (entry: TranscriptEntry) =>
    entry.type === 'attachment' || (entry.type === 'system' && entry.subtype !== 'local_command');
  if (nearest === undefined || isCall || !notes.every(isSilent)) return false;
  const seen = new Set<TranscriptEntry>();
  let hasSaid = false;
  let begin: TranscriptEntry | undefined;
  let entry: TranscriptEntry | undefined = last;
  while (entry !== undefined && entry !== nearest) {
    yield;
    if (seen.has(entry)) return false;
    seen.add(entry);
    begin = entry;
    hasSaid ||= entry.type === 'assistant' || (entry.type === 'user' && !isAside(entry));
    entry = rows.find(rows.parentOf(entry));
  }
  if (entry === undefined || !hasSaid || !((begin?.timestamp ?? '') > (named.timestamp ?? ''))) return false;
  if (wasRewound && !sinceRewound.has(begin?.uuid ?? '')) return false;
  for (const each of rows.entries) {
    yield;
    const parent = rows.parentOf(each);
    if (parent === undefined) continue;
    if (parent === named.uuid || (parent === last.uuid && each.isSidechain !== true && !isNote(each))) return false;
  }
  return true;
}
