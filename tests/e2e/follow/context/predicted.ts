import { readModelMessages } from '../../../../server/providers/acp/rollout/codex-context.ts';
import { readModelContext } from '../../../../server/providers/claude/transcript/model-messages.ts';
import type { TranscriptEntry } from '../../../../server/providers/claude/transcript/transcript-entry.ts';
import { readEntries } from '../../../../server/providers/claude/transcript/transcript-lines.ts';
import { growTree } from '../../../../server/providers/claude/transcript/transcript-tree.ts';
import { doAtOnce } from '../../../../server/time-slice.ts';
import { withoutAdded } from '../sent-messages.ts';
import type { Message } from './subject.ts';

/** What the server works out from a transcript of Claude Code. */
export async function predictClaude(path: string): Promise<Message[]> {
  const entries: TranscriptEntry[] = [];
  await readEntries(path, (entry) => entries.push(entry));
  const tree = doAtOnce(growTree(entries));
  const { messages, beforePrompt } = doAtOnce(readModelContext(tree, { resumes: true }));
  return withoutAdded(beforePrompt.length > 0 ? [...messages, { role: 'user', parts: beforePrompt }] : messages);
}

/** What the server works out from the files of a Codex conversation. Undefined if Codex does not open it. */
export async function predictCodex(
  env: Readonly<Record<string, string>>,
  nativeId: string,
): Promise<readonly Message[] | undefined> {
  const messages = await readModelMessages(env, nativeId);
  return messages?.map(({ role, text }) => ({ role, text }));
}
