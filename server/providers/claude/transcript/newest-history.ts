import { z } from 'zod';
import type { NewestHistory } from '../../../engine/native-sessions.ts';
import { doInSlices } from '../../../time-slice.ts';
import { callsIn } from './entry-kinds.ts';
import { type HistoryRequest, translateEntries } from './history.ts';
import { historyStamp } from './native-files.ts';
import { readNewestEntries } from './newest-entries.ts';
import { selectBranch } from './transcript-branch.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { findTranscript, readSubAgentTranscripts, type SubAgentTranscript } from './transcript-files.ts';

/** Reads the newest turns of a conversation without reading all of it. */
export async function readNewest(request: HistoryRequest): Promise<NewestHistory | undefined> {
  const { env, nativeId, projectDir } = request;
  const file = await findTranscript(env, nativeId, projectDir);
  if (file === undefined) return undefined;
  const stamp = await historyStamp(env, nativeId, projectDir);
  const newest = await readNewestEntries(file).catch(() => undefined);
  if (newest === undefined) return undefined;
  const { isWhole } = newest;
  const entries = isWhole ? await doInSlices(selectBranch(newest.entries)) : newest.entries;
  const subAgents = isWhole ? await readSubAgentTranscripts(file) : await readAgentsOf(entries, file);
  return { history: await translateEntries(entries, subAgents, request), isWhole, stamp };
}

/** The sub-agents that were called in these entries, and those that they called. */
async function readAgentsOf(entries: readonly TranscriptEntry[], file: string): Promise<SubAgentTranscript[]> {
  const agents: SubAgentTranscript[] = [];
  const calls = new Set<string>();
  const resumed = new Set<string>();
  for (let added: readonly TranscriptEntry[] = entries; added.length > 0; ) {
    for (const entry of added) {
      for (const id of callsIn(entry)) calls.add(id);
      const agentId =
        entry.type === 'user' ? resumedSchema.safeParse(entry.toolUseResult).data?.resumedAgentId : undefined;
      if (agentId !== undefined) resumed.add(agentId);
    }
    const known = new Set(agents.map(({ agentId }) => agentId));
    const isWanted = (agentId: string, callId: string) =>
      !known.has(agentId) && (calls.has(callId) || resumed.has(agentId));
    const found = calls.size + resumed.size === 0 ? [] : await readSubAgentTranscripts(file, isWanted);
    agents.push(...found);
    added = found.flatMap((agent) => agent.entries);
  }
  return agents;
}

const resumedSchema = z.looseObject({ resumedAgentId: z.string() });
