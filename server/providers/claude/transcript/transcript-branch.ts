import type { Steps } from '../../../time-slice.ts';
import { callsIn, isBoundary, resultsIn, statedParent } from './entry-kinds.ts';
import { climbBefore, followChain } from './transcript-chain.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { growTree, type TranscriptTree } from './transcript-tree.ts';

/**
 * Returns the entries of the branch that Claude Code continues and those outside the tree, in file order. A compaction
 * does not cut off what came before it.
 */
export function* selectBranch(entries: readonly TranscriptEntry[]): Steps<TranscriptEntry[]> {
  const tree = yield* growTree(entries);
  const current = yield* currentBranch(tree);
  const selected: TranscriptEntry[] = [];
  for (const entry of entries) {
    yield;
    const isOutside = entry.isSidechain !== true && tree.find(entry.uuid) === undefined;
    if (current.has(entry) || isOutside) selected.push(entry);
  }
  return selected;
}

/** The chain up from the leaf, and what belongs to it though it stands on a side branch. */
export function* currentBranch(tree: TranscriptTree): Steps<ReadonlySet<TranscriptEntry>> {
  const { entries } = yield* followChain(tree);
  const [first] = entries;
  const current = new Set(entries);
  const before = first !== undefined && isBoundary(first) ? yield* climbBefore(tree, first) : [];
  for (const entry of before) {
    yield;
    current.add(entry);
  }
  yield* completeBranch(tree, current);
  return current;
}

/** Adds what belongs to the entries of a branch, though it stands on a side branch. */
export function* completeBranch(tree: TranscriptTree, current: Set<TranscriptEntry>): Steps<void> {
  yield* addParallelCalls(tree.entries, current);
  // Notices and output of commands.
  for (const entry of tree.entries) {
    yield;
    if (entry.type !== 'system' && entry.type !== 'attachment') continue;
    if (isBoundary(entry) || isQueued(entry) || entry.isSidechain === true || current.has(entry)) continue;
    const parent = tree.find(statedParent(entry));
    if (parent !== undefined && current.has(parent)) current.add(entry);
  }
}

/** Calls made at once: the other blocks of messages on the branch, and the results of all calls in them. */
export function* addParallelCalls(all: readonly TranscriptEntry[], branch: Set<TranscriptEntry>): Steps<void> {
  const messages = new Set<string>();
  for (const entry of branch) {
    yield;
    if (entry.type === 'assistant' && entry.message?.id !== undefined) messages.add(entry.message.id);
  }
  const calls = new Set<string>();
  for (const entry of all) {
    yield;
    if (entry.type !== 'assistant' || !(branch.has(entry) || messages.has(entry.message?.id ?? ''))) continue;
    branch.add(entry);
    for (const id of callsIn(entry)) calls.add(id);
  }
  for (const entry of all) {
    yield;
    if (entry.type === 'user' && resultsIn(entry).some((id) => calls.has(id))) branch.add(entry);
  }
}

/** A message that waited while the agent worked. */
function isQueued(entry: TranscriptEntry): boolean {
  return entry.type === 'attachment' && entry.attachment?.type === 'queued_command';
}
