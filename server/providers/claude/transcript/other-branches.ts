import type { Branch } from '../../../../shared/entities.ts';
import type { Steps } from '../../../time-slice.ts';
import { contentText } from '../content/content-blocks.ts';
import { readUserText } from '../content/user-text.ts';
import { resultsIn, statedParent } from './entry-kinds.ts';
import { currentBranch } from './transcript-branch.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import type { TranscriptTree } from './transcript-tree.ts';

const MAX_BRANCHES = 20;
const MAX_TEXT = 200;

/** What an entry that is not shown belongs to. */
interface Place {
  /** The last message of the user up to the entry. */
  readonly prompt: TranscriptEntry | undefined;
  /** The first message of the user that the shown conversation lacks. */
  readonly first: TranscriptEntry | undefined;
  /** How many such messages there are up to the entry. */
  readonly prompts: number;
}

/** Branches that Claude Code would not continue, newest first. */
export function* listBranches(tree: TranscriptTree): Steps<Branch[]> {
  const current = yield* currentBranch(tree);
  const places = new Map<TranscriptEntry, Place>();
  const continued = new Set<TranscriptEntry>();
  /** The last entry of each branch, by its last message of the user. */
  const tips = new Map<TranscriptEntry | undefined, TranscriptEntry>();
  for (const entry of tree.entries) {
    yield;
    const parent = tree.find(statedParent(entry));
    const known = parent === undefined ? undefined : places.get(parent);
    const isPrompt = isUserMessage(entry);
    if (current.has(entry)) {
      places.set(entry, { prompt: isPrompt ? entry : known?.prompt, first: undefined, prompts: 0 });
      continue;
    }
    if (entry.isSidechain === true) continue;
    if (isPrompt && known?.prompt !== undefined && parent && !current.has(parent)) continued.add(known.prompt);
    const prompts = (known?.prompts ?? 0) + (isPrompt ? 1 : 0);
    const first = known?.first ?? (isPrompt ? entry : undefined);
    const place = { prompt: isPrompt ? entry : known?.prompt, first, prompts };
    places.set(entry, place);
    if (entry.type === 'user' || entry.type === 'assistant') tips.set(place.prompt, entry);
  }
  return [...tips]
    .filter(([prompt]) => prompt !== undefined && !continued.has(prompt))
    .map(([, tip]) => tip)
    .sort((one, other) => (tree.isEarlier(one, other) ? 1 : -1))
    .slice(0, MAX_BRANCHES)
    .map((tip) => toBranch(tip, places.get(tip)));
}

function toBranch(tip: TranscriptEntry, place: Place | undefined): Branch {
  return {
    id: tip.uuid ?? '',
    ...(tip.timestamp !== undefined && { at: tip.timestamp }),
    // One that only has another answer to a message counts that message.
    turns: Math.max(1, place?.prompts ?? 0),
    text: beginningOf(place?.first ?? place?.prompt),
  };
}

function beginningOf(entry: TranscriptEntry | undefined): string {
  const content = entry?.type === 'user' ? contentText(entry.message?.content) : '';
  const read = readUserText(content);
  return (read.kind === 'message' ? read.text : '').trim().slice(0, MAX_TEXT);
}

/** Something that a person sent, and not a result, an output or a note for the model. */
export function isUserMessage(entry: TranscriptEntry): boolean {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isCompactSummary === true) return false;
  if (entry.promptSource === 'system' || resultsIn(entry).length > 0) return false;
  return readUserText(contentText(entry.message?.content)).kind === 'message';
}
