import { z } from 'zod';
import type { Steps } from '../../../time-slice.ts';
import { readLaunch, readTaskNotification, type TaskEnd } from '../content/background-tasks.ts';
import { contentText, readContent } from '../content/content-blocks.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import type { SubAgentTranscript } from './transcript-files.ts';

/** A call that went on in the background. */
export interface TranscriptTask {
  readonly taskId: string;
  readonly isAgent: boolean;
  readonly outputFile: string | undefined;
  /** Undefined if Claude Code was ended before the task. */
  readonly end: (TaskEnd & { readonly at: string | undefined }) | undefined;
}

/** By the ids of their calls. */
export type TranscriptTasks = ReadonlyMap<string, TranscriptTask>;

type DatedEnd = TaskEnd & { readonly at: string | undefined };

const stoppedSchema = z.looseObject({ task_id: z.string(), message: z.string() });

/**
 * Finds all calls of the conversation and its sub-agents that went on in the background. Their ends are recorded in
 * different places: in messages queued for the model, in the result of TaskStop, or in a sub-agent's metadata.
 */
export function* collectTasks(
  entries: readonly TranscriptEntry[],
  subAgents: readonly SubAgentTranscript[],
): Steps<TranscriptTasks> {
  const all = [...entries, ...subAgents.flatMap((agent) => agent.entries)];
  const ends = yield* collectEnds(all, subAgents);
  const tasks = new Map<string, TranscriptTask>();
  for (const entry of all) {
    yield;
    for (const { callId, content, details } of resultsOf(entry)) {
      const launch = readLaunch(content, details);
      if (launch === undefined) continue;
      const { taskId, kind } = launch;
      const known = ends.get(callId) ?? ends.get(taskId);
      tasks.set(callId, {
        taskId,
        isAgent: kind === 'agent',
        outputFile: launch.outputFile ?? known?.outputFile,
        end: known,
      });
    }
  }
  return tasks;
}

/** Ends by call id, or by task id if the call is not named. */
function* collectEnds(
  entries: readonly TranscriptEntry[],
  subAgents: readonly SubAgentTranscript[],
): Steps<ReadonlyMap<string, DatedEnd & { readonly outputFile?: string | undefined }>> {
  const ends = new Map<string, DatedEnd & { readonly outputFile?: string | undefined }>();
  for (const entry of entries) {
    yield;
    const notification = readTaskNotification(notificationText(entry));
    const key = notification?.callId ?? notification?.taskId;
    if (notification !== undefined && key !== undefined && !ends.has(key)) {
      ends.set(key, { ...notification.end, at: entry.timestamp, outputFile: notification.outputFile });
    }
    for (const { details } of resultsOf(entry)) {
      const { data } = stoppedSchema.safeParse(details);
      if (data !== undefined) ends.set(data.task_id, { status: 'stopped', summary: data.message, at: entry.timestamp });
    }
  }
  for (const { agentId, isStopped, entries: steps } of subAgents) {
    if (isStopped && !ends.has(agentId)) {
      ends.set(agentId, { status: 'stopped', summary: '', at: steps.at(-1)?.timestamp });
    }
  }
  return ends;
}

function notificationText(entry: TranscriptEntry): string {
  switch (entry.type) {
    case 'queue-operation':
      return contentText(entry.content);
    case 'user':
      return typeof entry.message?.content === 'string' ? entry.message.content : '';
    case 'attachment':
      return contentText(entry.attachment?.prompt);
    default:
      return '';
  }
}

function resultsOf(entry: TranscriptEntry) {
  if (entry.type !== 'user') return [];
  const results = readContent(entry.message?.content).filter((block) => block.kind === 'result');
  return results.map((result) => ({ ...result, details: entry.toolUseResult, timestamp: entry.timestamp }));
}
