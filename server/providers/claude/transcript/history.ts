import { readFile } from 'node:fs/promises';
import type { SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { collectHistory } from '../../../streaming/history.ts';
import { selectBranch } from './transcript-branch.ts';
import { parseTranscript } from './transcript-entry.ts';
import { type Environment, findTranscript, readSubAgentTranscripts } from './transcript-files.ts';
import { translateTranscript } from './translate-transcript.ts';

export interface HistoryRequest {
  readonly env: Environment;
  readonly nativeId: string;
  readonly projectDir: string;
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly now: () => string;
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
  const [text, subAgentTexts] = await Promise.all([readFile(file, 'utf8'), readSubAgentTranscripts(file)]);
  const subAgents = new Map([...subAgentTexts].map(([callId, inner]) => [callId, parseTranscript(inner)]));
  return collectHistory(translateTranscript(selectBranch(parseTranscript(text)), subAgents), request);
}
