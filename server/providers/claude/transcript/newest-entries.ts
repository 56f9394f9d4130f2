import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createTimeSlices, doInSlices, type Steps } from '../../../time-slice.ts';
import { isBoundary, statedParent } from './entry-kinds.ts';
import { isUserMessage } from './other-branches.ts';
import { relinked } from './remembered-entries.ts';
import { completeBranch } from './transcript-branch.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { parseLine } from './transcript-lines.ts';
import { growTree, type TranscriptTree } from './transcript-tree.ts';

const BLOCK = 1024 * 1024;
/** More turns than fit on a page. */
const ENOUGH_TURNS = 40;
const MANY_TURNS = 100;
const MAX_BYTES = 16 * BLOCK;
const NO_ENTRY = /^[0-]*$/;

export interface NewestEntries {
  readonly entries: readonly TranscriptEntry[];
  /** The whole file was read. Then the entries are all of it, and no branch is selected. */
  readonly isWhole: boolean;
}

/**
 * Reads the newest turns of the branch that Claude Code continues from the end of the file. Undefined if a reasonable part
 * of the file does not tell which branch that is.
 */
export async function readNewestEntries(
  path: string,
  block = BLOCK,
  max = MAX_BYTES,
): Promise<NewestEntries | undefined> {
  const takeTurns = createTimeSlices();
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    let entries: TranscriptEntry[] = [];
    /** The beginning of a line whose rest was read already. */
    let rest = Buffer.alloc(0);
    let found: NewestEntries | undefined;
    for (let start = size; start > 0 && size - start < max; ) {
      const length = Math.min(block, start);
      start -= length;
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
      const text = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
      const from = start === 0 ? 0 : text.indexOf(0x0a) + 1;
      rest = from === 0 && start > 0 ? text : text.subarray(0, from);
      const read: TranscriptEntry[] = [];
      for (const line of from === 0 && start > 0 ? [] : splitLines(text.subarray(from))) {
        const entry = parseLine(line);
        if (entry !== undefined) read.push(entry);
        const others = takeTurns();
        if (others !== undefined) await others;
      }
      entries = [...read, ...entries];
      if (start === 0) return { entries, isWhole: true };
      const newest = await doInSlices(selectNewest(entries));
      if (newest === undefined) continue;
      found = { entries: newest.entries, isWhole: false };
      if (newest.turns >= ENOUGH_TURNS || size - start >= 4 * block) return found;
    }
    return found;
  } finally {
    await file.close();
  }
}

function* splitLines(text: Buffer): Generator<Buffer, void> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(0x0a, start);
    const line = text.subarray(start, end < 0 ? text.length : end);
    if (line.length > 0) yield line;
    start = end < 0 ? text.length : end + 1;
  }
}

/** Undefined if the part does not tell which branch is continued, or has no turn that is whole. */
function* selectNewest(part: readonly TranscriptEntry[]) {
  const tree = yield* growTree(part);
  if (!knowsLeaf(tree, part)) return undefined;
  const branch = new Set<TranscriptEntry>();
  let first: TranscriptEntry | undefined;
  let candidate: TranscriptEntry | undefined;
  let turns = 0;
  for (let entry = tree.leaf; entry !== undefined && !branch.has(entry); entry = parentIn(tree, entry)) {
    yield;
    if (turns > MANY_TURNS) break;
    branch.add(entry);
    // A manual compaction is recorded before the command that requested it, and shown with it.
    if (candidate !== undefined && !isBoundary(entry)) {
      first = isUserMessage(entry) || entry.type === 'assistant' ? candidate : first;
    }
    if (isUserMessage(entry)) {
      candidate = entry;
      turns += 1;
    }
    if (isBoundary(entry) || (tree.cut && entry.parentUuid === tree.cut.anchor)) candidate = undefined;
  }
  if (first === undefined) return undefined;
  yield* completeBranch(tree, branch);
  return { entries: yield* from(first, part, branch), turns };
}

const parentIn = (tree: TranscriptTree, entry: TranscriptEntry) =>
  tree.find(relinked(tree, entry) ?? statedParent(entry));

/** What is not part of the tree is kept from before the first entry too: it tells how messages were merged. */
function* from(
  first: TranscriptEntry,
  part: readonly TranscriptEntry[],
  branch: ReadonlySet<TranscriptEntry>,
): Steps<TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  let hasBegun = false;
  for (const entry of part) {
    yield;
    hasBegun ||= entry === first;
    if (branch.has(entry) ? hasBegun : entry.uuid === undefined) entries.push(entry);
  }
  return entries;
}

/** Whether the last checkpoint is in this part, and all that it depends on. */
function knowsLeaf(tree: TranscriptTree, part: readonly TranscriptEntry[]): boolean {
  const last = part.findLast((entry) => entry.type === 'last-prompt' && entry.leafUuid !== undefined);
  const checkpoint = last?.type === 'last-prompt' ? last.leafUuid : undefined;
  if (checkpoint === undefined || checkpoint === null) return false;
  if (tree.find(checkpoint) === undefined && !NO_ENTRY.test(checkpoint)) return false;
  const boundary = tree.entries.findLast(isBoundary);
  return boundary?.compactMetadata?.preservedMessages?.uuids?.length ? tree.cut !== undefined : true;
}
