import { readContent } from '../content/content-blocks.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/**
 * A transcript is a tree: going back in a conversation and saying something else leaves a dead branch behind. Returns
 * the entries of the current branch and those outside the tree, in file order.
 *
 * A side branch is dead if it starts with a user message. Other side branches belong to the conversation: results of
 * parallel calls, output of commands. A compaction does not cut off what came before it.
 */
export function selectBranch(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const main = entries.filter((entry) => entry.isSidechain !== true);
  const tree = main.filter((entry) => entry.uuid !== undefined);
  const parents = linkParents(tree);
  const alive = new Set<TranscriptEntry>();
  for (let entry = tree.at(-1); entry !== undefined; entry = parents.get(entry)) alive.add(entry);
  for (const entry of tree) {
    const parent = parents.get(entry);
    if (parent !== undefined && alive.has(parent) && !alive.has(entry) && !isUserMessage(entry)) alive.add(entry);
  }
  return main.filter((entry) => entry.uuid === undefined || alive.has(entry));
}

/**
 * An entry without a known parent, as after a compaction, is linked to the entry before it in the file. A parent always
 * comes earlier in the file, so there are no cycles.
 */
function linkParents(tree: readonly TranscriptEntry[]): ReadonlyMap<TranscriptEntry, TranscriptEntry> {
  const parents = new Map<TranscriptEntry, TranscriptEntry>();
  const seen = new Map<string | undefined, TranscriptEntry>();
  let before: TranscriptEntry | undefined;
  for (const entry of tree) {
    const parent = seen.get(entry.parentUuid) ?? before;
    if (parent !== undefined) parents.set(entry, parent);
    seen.set(entry.uuid, entry);
    before = entry;
  }
  return parents;
}

function isUserMessage(entry: TranscriptEntry): boolean {
  if (entry.type !== 'user' || entry.isMeta === true) return false;
  return !readContent(entry.message?.content).some((block) => block.kind === 'result');
}
