import type { Context } from '../../../../shared/entities.ts';
import { nativeIdSchema, toCanonical } from '../../../../shared/ids.ts';
import type { KnownContext } from '../../../engine/native-sessions.ts';
import type { Steps } from '../../../time-slice.ts';
import { contentText } from '../content/content-blocks.ts';
import { tagText } from '../content/tags.ts';
import { statedParent } from './entry-kinds.ts';
import { type ModelContext, readModelContext } from './model-messages.ts';
import { listBranches } from './other-branches.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { growTree, type TranscriptTree } from './transcript-tree.ts';

export interface ContextOptions {
  readonly cliType: string;
  /** As for `readModelContext`. */
  readonly resumes: boolean;
  /** When the transcript was begun, if the file system knows. */
  readonly begunAt?: string | undefined;
}

const LOST =
  'The transcript continues a conversation whose beginning it no longer has, so Claude Code gives the model nothing from before.';
const LEFT_OUT =
  'Another version of Claude Code wrote entries that this one does not know, and leaves out the messages after them.';
const NOT_OPENED =
  'The last message of the transcript is marked as that of a sub-agent, so Claude Code does not open it.';
const TOO_LONG = 'An entry of the transcript is too long for Liminal Builder to read.';

/** What the model is given with the next message, and the branches that it is not given. */
export function* describeContext(all: readonly TranscriptEntry[], options: ContextOptions): Steps<KnownContext> {
  const tree = yield* growTree(all);
  const model = yield* readModelContext(tree, options);
  const branches = yield* listBranches(tree);
  const known = describeState(tree, model, options);
  if (known.state === 'unknown') return { context: known, branches };
  const state = (yield* leavesOut(tree, all)) ? ({ state: 'reset', reason: LEFT_OUT } as const) : known;
  return { context: { ...state, messages: model.messages.length }, branches };
}

function describeState(tree: TranscriptTree, model: ModelContext, { cliType, begunAt }: ContextOptions): Context {
  const { boundary, first, isBroken } = model;
  if (first === undefined) return { state: 'fresh' };
  if (tree.leaf?.isSidechain === true) return { state: 'unknown', reason: NOT_OPENED };
  if (tree.entries.some(isTooLong)) return { state: 'unknown', reason: TOO_LONG };
  if (isBroken) return { state: 'reset', reason: LOST };
  const origin = tree.entries.find(({ forkedFrom }) => forkedFrom !== undefined)?.forkedFrom?.sessionId;
  if (boundary !== undefined && boundary.forkedFrom === undefined) return { state: 'compacted', ...timeOf(boundary) };
  if (origin !== undefined && nativeIdSchema.safeParse(origin).success) {
    const own = tree.entries.find(({ forkedFrom }) => forkedFrom === undefined);
    return { state: 'forked', ...(begunAt && { at: begunAt }), ...timeOf(own), from: toCanonical(cliType, origin) };
  }
  const command = findClear(tree);
  if (command !== undefined) return { state: 'cleared', ...timeOf(command) };
  return { state: 'resumed' };
}

const isTooLong = (entry: TranscriptEntry) => entry.type === 'attachment' && entry.notShown !== undefined;

const timeOf = (entry: TranscriptEntry | undefined) => (entry?.timestamp === undefined ? {} : { at: entry.timestamp });

/** After `/clear` Claude Code goes on in another transcript, which begins with the command. */
function findClear({ entries }: TranscriptTree): TranscriptEntry | undefined {
  const first = entries.find((entry) => entry.type === 'user' && entry.isMeta !== true);
  if (first?.type !== 'user') return undefined;
  const command = tagText(contentText(first.message?.content), 'command-name')?.trim();
  return command === '/clear' ? first : undefined;
}

/**
 * Whether the end of the conversation is left out because of entries of unknown types: it goes on from an earlier entry,
 * though the last one descends from that.
 */
function* leavesOut({ leaf, passedOver, find }: TranscriptTree, all: readonly TranscriptEntry[]): Steps<boolean> {
  if (passedOver === undefined) return false;
  const unknown = new Map<string, TranscriptEntry>();
  for (const entry of all) {
    yield;
    if (entry.type === 'other' && entry.uuid !== undefined) unknown.set(entry.uuid, entry);
  }
  const seen = new Set<TranscriptEntry>();
  for (let entry: TranscriptEntry | undefined = passedOver; entry !== undefined && !seen.has(entry); ) {
    yield;
    if (entry === leaf) return true;
    seen.add(entry);
    const parent: string | undefined = statedParent(entry);
    entry = find(parent) ?? unknown.get(parent ?? '');
  }
  return false;
}
