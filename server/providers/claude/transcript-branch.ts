import { readContent } from './content-blocks.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/**
 * A transcript is a tree: whoever goes back in a conversation and says something else leaves a dead branch behind.
 * Answers with the entries of the branch that is alive, in the order of the file, and with those outside the tree.
 * Compactions do not cut the branch: what was said before them was said.
 */
export function selectBranch(entries: readonly TranscriptEntry[]): TranscriptEntry[] {
  const main = entries.filter((entry) => entry.isSidechain !== true);
  const ancestors = findAncestors(main);
  const messageIds = new Set([...ancestors].map((entry) => entry.message?.id).filter((id) => id !== undefined));
  const callIds = new Set<string>();

  return main.filter((entry) => {
    const blocks = entry.message === undefined ? [] : readContent(entry.message.content);
    const isAlive =
      entry.uuid === undefined ||
      ancestors.has(entry) ||
      // Calls made at once and their results hang on each other in several chains.
      (entry.message?.id !== undefined && messageIds.has(entry.message.id)) ||
      blocks.some((block) => block.kind === 'result' && callIds.has(block.callId));
    if (isAlive) for (const block of blocks) if (block.kind === 'call') callIds.add(block.callId);
    return isAlive;
  });
}

/** From the newest entry back to the first. Where a link is missing, the entry before in the file takes its place. */
function findAncestors(entries: readonly TranscriptEntry[]): ReadonlySet<TranscriptEntry> {
  const chain = entries.filter((entry) => entry.uuid !== undefined);
  const position = new Map(chain.map((entry, index) => [entry.uuid, index]));
  const ancestors = new Set<TranscriptEntry>();
  for (let index = chain.length - 1; index >= 0; ) {
    const entry = chain[index];
    if (entry === undefined) break;
    ancestors.add(entry);
    const parent = position.get(entry.parentUuid ?? entry.logicalParentUuid);
    index = parent !== undefined && parent < index ? parent : index - 1;
  }
  return ancestors;
}
