import type { Steps } from '../../../time-slice.ts';
import { climbBefore, followChain } from './transcript-chain.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { growTree, isBoundary, statedParent, type TranscriptTree } from './transcript-tree.ts';

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

/** A message that waited while the agent worked. */
function isQueued(entry: TranscriptEntry): boolean {
  return entry.type === 'attachment' && entry.attachment?.type === 'queued_command';
}
