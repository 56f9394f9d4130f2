import type { SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { collectInTurns } from '../../../streaming/history.ts';
import { doInSlices } from '../../../time-slice.ts';
import { readOutputFile } from '../content/output-file.ts';
import { splitRuns } from './sub-agent-transcripts.ts';
import { selectBranch } from './transcript-branch.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import {
  type Environment,
  findTranscript,
  readSubAgentTranscripts,
  type SubAgentTranscript,
} from './transcript-files.ts';
import { readEntries } from './transcript-lines.ts';
import { collectTasks, type TranscriptTasks } from './transcript-tasks.ts';
import { translateTranscript } from './translate-transcript.ts';

type ReadOutput = (path: string) => Promise<string | undefined>;

export interface HistoryRequest {
  readonly env: Environment;
  readonly nativeId: string;
  readonly projectDir: string;
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly now: () => string;
  /** Reads the output of a task. Resolves to undefined if there is none. */
  readonly readOutput?: ReadOutput;
}

/**
 * Reads the conversation from disk, without a process. Resolves to undefined if there is no transcript.
 *
 * This does not use the SDK's `getSessionMessages`, which leaves out everything before a compaction, the sub-agents,
 * the details of tool results and which blocks belong to one message.
 */
export async function readHistory(request: HistoryRequest): Promise<UpsertObject[] | undefined> {
  const { env, nativeId, projectDir } = request;
  const file = await findTranscript(env, nativeId, projectDir);
  if (file === undefined) return undefined;
  const [all, subAgents] = await Promise.all([readAll(file), readSubAgentTranscripts(file)]);
  return translateEntries(await doInSlices(selectBranch(all)), subAgents, request);
}

/** The items of a conversation, from the entries of its branch. */
export async function translateEntries(
  entries: readonly TranscriptEntry[],
  subAgents: readonly SubAgentTranscript[],
  request: HistoryRequest,
): Promise<UpsertObject[]> {
  const tasks = await doInSlices(collectTasks(entries, subAgents));
  const outputs = await readOutputs(tasks, request.readOutput ?? readOutputFile);
  const work = { tasks, runs: await doInSlices(splitRuns(entries, subAgents)), outputs };
  return collectInTurns(translateTranscript(entries, work), request);
}

/** Rejects with a reason that the user can act on. */
async function readAll(file: string): Promise<TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  try {
    await readEntries(file, (entry) => entries.push(entry));
  } catch (error) {
    throw unreadable(file, error);
  }
  return entries;
}

export function unreadable(file: string, cause: unknown): ProviderError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  const message = `The transcript ${file} cannot be read${code}. Check its size and permissions.`;
  return new ProviderError('SESSION_NOT_FOUND', message, { cause });
}

/** Outputs by task id. Claude Code keeps the files in a temporary directory, so some may be gone. */
async function readOutputs(tasks: TranscriptTasks, read: ReadOutput): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  const shells = [...tasks.values()].filter(({ isAgent }) => !isAgent);
  await Promise.all(
    shells.map(async ({ taskId, outputFile }) => {
      const output = outputFile ? await read(outputFile) : undefined;
      if (output !== undefined) outputs.set(taskId, output);
    }),
  );
  return outputs;
}
