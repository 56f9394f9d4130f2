import { setImmediate } from 'node:timers/promises';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { NewestHistory } from '../../../engine/native-sessions.ts';
import { createReplay, type Replay, type ReplayOptions } from '../translate/replay.ts';
import { findLineage } from './lineage.ts';
import type { FindNewestTurns } from './newest-turns.ts';
import type { Environment } from './rollout-files.ts';
import { readRow } from './rollout-row.ts';
import { type ScanRange, scanLines } from './scan-lines.ts';
import { createStoredConversation, type StoredConversation } from './stored-conversation.ts';

export interface CodexHistoryOptions extends ReplayOptions {
  readonly env: Environment;
  /** The id under which Codex stored the conversation. */
  readonly storedId: string;
  readonly projectDir: string;
}

/** How long to work before others get their turn. */
const SLICE_MS = 10;

/** Reads a conversation from the files of Codex, without starting it. Undefined if there is none. */
export async function readCodexHistory(options: CodexHistoryOptions): Promise<readonly UpsertObject[] | undefined> {
  const stored = await readStored(options.storedId, options);
  if (stored === undefined) return undefined;
  const replay = createReplay(options);
  await play(stored, { ...options, replay, seen: new Set([options.storedId]), pause: createPause() });
  return replay.history();
}

/** Where the newest turns of a conversation are. */
export interface NewestRequest extends CodexHistoryOptions {
  readonly findNewest: FindNewestTurns;
  /** All sub-agents of a conversation, also those of its sub-agents. */
  readonly subagentsOf: (storedId: string) => Promise<readonly string[]>;
}

/** Reads the newest turns, with the ids that they have in the whole history. Undefined if they cannot be told from it. */
export async function readNewestTurns(
  options: NewestRequest,
): Promise<Pick<NewestHistory, 'history' | 'isWhole'> | undefined> {
  const { storedId, projectDir } = options;
  const lineage = await findLineage(options.env, storedId);
  const newest = lineage && (await options.findNewest(lineage));
  if (newest === undefined) return undefined;
  const { turnsBefore, timeBefore, subagentsBefore, first } = newest;
  const conversation = createStoredConversation(projectDir);
  conversation.add({ row: 'turn-started', turnId: first.turnId });
  for (const { path, start, end } of newest.segments) await readInto(conversation, path, { start, end });
  const nested = await Promise.all(subagentsBefore.map(options.subagentsOf));
  const seen = new Set([storedId, ...subagentsBefore, ...nested.flat()]);
  const replay = createReplay({ ...options, after: { turns: turnsBefore, time: timeBefore } });
  await play(conversation, { ...options, replay, seen, pause: createPause() });
  return { history: await replay.history(), isWhole: turnsBefore === 0 };
}

async function readInto(conversation: StoredConversation, path: string, range: ScanRange): Promise<void> {
  await scanLines(path, range, (line) => {
    const row = readRow(line);
    if (row !== undefined) conversation.add(row);
  });
}

async function readStored(
  storedId: string,
  { env, projectDir }: CodexHistoryOptions,
): Promise<StoredConversation | undefined> {
  const lineage = await findLineage(env, storedId);
  if (lineage === undefined) return undefined;
  const conversation = createStoredConversation(projectDir);
  for (const { path, end } of lineage.segments) await readInto(conversation, path, { start: 0, end });
  return conversation;
}

interface Playing extends CodexHistoryOptions {
  readonly replay: Replay;
  /** Conversations that were read, so that files that name each other are not read for ever. */
  readonly seen: Set<string>;
  readonly pause: () => Promise<void> | undefined;
}

/** `from`: the sub-agent whose conversation it is. */
async function play(stored: StoredConversation, playing: Playing, from?: string): Promise<void> {
  const { replay, pause } = playing;
  for (const entry of stored.entries()) {
    if (entry.kind === 'subagent') await playSubagent(entry.threadId, entry.title, playing, from);
    // What a sub-agent was told is shown as the title of its work.
    else if (from === undefined || entry.update.sessionUpdate !== 'user_message_chunk') replay.add(entry.update, from);
    await pause();
  }
}

async function playSubagent(threadId: string, title: string, playing: Playing, from?: string): Promise<void> {
  const { replay, seen } = playing;
  if (seen.has(threadId)) return;
  seen.add(threadId);
  const sessionId = `${playing.storedId}:subagent:${threadId}`;
  const report = { sessionUpdate: 'subagent_update', sessionId } as const;
  replay.add({ ...report, title }, from);
  const stored = await readStored(threadId, playing);
  if (stored !== undefined) await play(stored, playing, sessionId);
  const stopReason = stored === undefined || stored.end() === 'done' ? 'end_turn' : 'cancelled';
  replay.add({ ...report, state: { state: 'idle', stopReason } }, from);
}

/** Lets others work from time to time. */
function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
