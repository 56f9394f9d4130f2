import { cp, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ForkPoint } from '../../../engine/native-sessions.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { doInSlices, type Steps } from '../../../time-slice.ts';
import { resultsIn } from './entry-kinds.ts';
import { withoutContent } from './slim-entry.ts';
import { currentBranch } from './transcript-branch.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { readEntries } from './transcript-lines.ts';
import { growTree, type TranscriptTree } from './transcript-tree.ts';
import { findEntryOf } from './translate-transcript.ts';

export interface ForkOptions {
  /** The transcript to copy from. */
  readonly path: string;
  readonly nativeId: string;
  readonly at: ForkPoint;
  readonly newId: () => string;
}

const GONE = 'The transcript no longer has what was to be copied. Open the session again, then fork it.';
const TOO_LONG = 'An entry of this conversation is too long to be copied.';
const EMPTY = 'There is no message to go on from yet. Create a new session.';

/**
 * Copies a branch of a conversation to a transcript of its own, as Claude Code does: with new ids, and with the origin of
 * each entry. The SDK's own function is not used: it looks for the transcript in the home of this process, which may be
 * another than the agent's, and copies other branches along with the one that is wanted. Resolves to the id of the copy.
 */
export async function forkTranscript({ path, nativeId, at, newId }: ForkOptions): Promise<string> {
  const entries: TranscriptEntry[] = [];
  await readEntries(path, (entry) => entries.push(withoutContent(entry)));
  const { branch, leaf } = await doInSlices(findBranch(entries, at));
  const ids = new Map<string, string>();
  for (const { uuid } of branch) if (uuid !== undefined) ids.set(uuid, newId());
  const copyId = newId();
  const copy = join(dirname(path), `${copyId}.jsonl`);
  const unfinished = `${copy}.part`;
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await readEntries(path, async (entry, { text }) => {
      const isQueue = entry.type === 'queue-operation';
      if (!isQueue && (entry.uuid === undefined || !ids.has(entry.uuid))) return;
      if (text === undefined) throw new ProviderError('SESSION_CREATE_FAILED', TOO_LONG);
      const row = rewrite(JSON.parse(text.toString('utf8')), { ids, nativeId, copyId });
      await file.appendFile(`${JSON.stringify(row)}\n`);
    });
    const checkpoint = { type: 'last-prompt', leafUuid: ids.get(leaf.uuid ?? ''), sessionId: copyId };
    await file.appendFile(`${JSON.stringify(checkpoint)}\n`);
    await file.close();
    await cp(folderOf(path), folderOf(copy), { recursive: true }).catch(() => {});
    await rename(unfinished, copy);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
  return copyId;
}

/** The transcripts of sub-agents are in a folder beside that of the session. */
const folderOf = (transcript: string) => join(transcript.slice(0, -'.jsonl'.length), 'subagents');

function* findBranch(entries: readonly TranscriptEntry[], { branch: id, itemId }: ForkPoint) {
  const tree = yield* growTree(entries);
  const leaf = id === undefined ? tree.leaf : tree.find(id);
  if (leaf === undefined) throw new ProviderError('SESSION_CREATE_FAILED', id === undefined ? EMPTY : GONE);
  const branch = yield* branchTo(tree, leaf);
  if (itemId === undefined) return { branch, leaf };
  const shown = entries.filter(
    (entry) => branch.has(entry) || (entry.uuid === undefined && entry.isSidechain !== true),
  );
  const last = yield* findEntryOf(shown, itemId);
  if (last === undefined) throw new ProviderError('SESSION_CREATE_FAILED', GONE);
  const end = withResults(branch, last);
  return { branch: yield* branchTo(tree, end), leaf: end };
}

/** What was forgotten by a later compaction is not forgotten in a copy that ends before it. */
function branchTo(tree: TranscriptTree, leaf: TranscriptEntry): Steps<ReadonlySet<TranscriptEntry>> {
  return currentBranch({ ...tree, leaf, cut: tree.cut?.isForgotten(leaf) ? undefined : tree.cut });
}

/** A copy that ends with a call has its result too. */
function withResults(branch: ReadonlySet<TranscriptEntry>, last: TranscriptEntry): TranscriptEntry {
  if (last.type !== 'assistant') return last;
  const content = Array.isArray(last.message?.content) ? last.message.content : [];
  const calls = new Set(content.map((block: { readonly id?: unknown } | null) => block?.id));
  return [...branch].find((entry) => resultsIn(entry).some((id) => calls.has(id))) ?? last;
}

interface Rewriting {
  readonly ids: ReadonlyMap<string, string>;
  readonly nativeId: string;
  readonly copyId: string;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** These belong to the conversation, and nothing in them is an id of an entry. */
const CONTENT: ReadonlySet<string> = new Set(['message', 'content', 'toolUseResult']);

function rewrite(row: Readonly<Record<string, unknown>>, { ids, nativeId, copyId }: Rewriting): object {
  const fields = Object.entries(row).map(([name, value]) => {
    if (name === 'sessionId') return [name, copyId];
    if (CONTENT.has(name) || value === undefined) return [name, value];
    return [name, JSON.parse(JSON.stringify(value).replace(UUID, (id) => ids.get(id) ?? id))];
  });
  const origin = row.uuid === undefined ? {} : { forkedFrom: { sessionId: nativeId, messageUuid: row.uuid } };
  return { ...Object.fromEntries(fields), ...origin };
}
