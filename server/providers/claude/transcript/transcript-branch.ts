import { readContent } from '../content/content-blocks.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/**
 * A transcript is a tree: whoever goes back in a conversation and says something else leaves a dead branch behind.
 * Answers with the entries that are alive, in the order of the file, and with those outside the tree.
 *
 * A branch dies where the user says something that the conversation does not go on from. Other side branches are part
 * of it: the results of calls made at once, the answers of commands. Compactions cut nothing: what was said was said.
 */
export function selectBranch(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const main = entries.filter((entry) => entry.isSidechain !== true);
  const tree = main.filter((entry) => entry.uuid !== undefined);
  const parents = linkParents(tree);
  const alive = new Set<TranscriptEntry>();
  for (let entry = tree.at(-1); entry !== undefined; entry = parents.get(entry)) alive.add(entry);
  for (const entry of tree) {
    const parent = parents.get(entry);
    if (parent !== undefined && alive.has(parent) && !alive.has(entry) && !isSaid(entry)) alive.add(entry);
  }
  return main.filter((entry) => entry.uuid === undefined || alive.has(entry));
}

/**
 * Where a link is missing, as it is at a compaction, the entry before in the file takes its place. A parent always
 * comes first, so there are no circles.
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

function isSaid(entry: TranscriptEntry): boolean {
  if (entry.type !== 'user' || entry.isMeta === true) return false;
  return !readContent(entry.message?.content).some((block) => block.kind === 'result');
}
