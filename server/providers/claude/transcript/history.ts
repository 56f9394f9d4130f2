import { readFile } from 'node:fs/promises';
import type { SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { collectHistory } from '../../../streaming/history.ts';
import { readOutputFile } from '../content/output-file.ts';
import { splitRuns } from './sub-agent-transcripts.ts';
import { selectBranch } from './transcript-branch.ts';
import { parseTranscript } from './transcript-entry.ts';
import { type Environment, findTranscript, readSubAgentTranscripts } from './transcript-files.ts';
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
  /** How the output of a task is read, undefined where it cannot be. */
  readonly readOutput?: ReadOutput;
}

/**
 * The conversation as it is on the disk, without a process. Undefined where there is no transcript.
 *
 * The transcript is read here and not by the SDK's `getSessionMessages`, because that one leaves out everything
 * before a compaction, the sub-agents, the details of tool results and which blocks belong together.
 */
export async function readHistory(request: HistoryRequest): Promise<UpsertObject[] | undefined> {
  const { env, nativeId, projectDir } = request;
  const file = await findTranscript(env, nativeId, projectDir);
  if (file === undefined) return undefined;
  const [text, subAgents] = await Promise.all([readFile(file, 'utf8'), readSubAgentTranscripts(file)]);
  const entries = selectBranch(parseTranscript(text));
  const tasks = collectTasks(entries, subAgents);
  const outputs = await readOutputs(tasks, request.readOutput ?? readOutputFile);
  const work = { tasks, runs: splitRuns(entries, subAgents), outputs };
  return collectHistory(translateTranscript(entries, work), request);
}

/** By task. Missing where the file is gone: Claude Code keeps it in a directory for temporary files. */
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
