import { z } from 'zod';
import type { ActionOf, StreamAction, TimedAction } from '../../../streaming/stream-actions.ts';
import { finishTask } from '../content/background-tasks.ts';
import { finishCall, wholeBlock } from '../content/block-actions.ts';
import { readContent } from '../content/content-blocks.ts';
import { REJECTED } from '../content/tool-results.ts';
import { addBlock, addToReport, continueMessage, type Report, type WholeMessage } from '../content/turn-scope.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import type { SubAgentTranscript } from './transcript-files.ts';
import type { TranscriptTasks } from './transcript-tasks.ts';

/** What happened under the calls of a conversation. */
export interface Work {
  readonly tasks: TranscriptTasks;
  /** Entries of sub-agents by the call they worked for. */
  readonly runs: ReadonlyMap<string, readonly TranscriptEntry[]>;
  /** The output of shells, by the id of their task. */
  readonly outputs: ReadonlyMap<string, string>;
}

export const NO_WORK: Work = { tasks: new Map(), runs: new Map(), outputs: new Map() };

const resumedSchema = z.looseObject({ resumedAgentId: z.string() });

/** Splits the transcripts of sub-agents by call. One that gets a message after it ended continues in the same file. */
export function splitRuns(
  entries: readonly TranscriptEntry[],
  subAgents: readonly SubAgentTranscript[],
): ReadonlyMap<string, readonly TranscriptEntry[]> {
  const calledAt = new Map<string, string>();
  const resumptions: { readonly agentId: string; readonly callId: string; readonly from: string }[] = [];
  for (const entry of entries) {
    for (const block of entry.type === 'assistant' ? readContent(entry.message?.content) : []) {
      if (block.kind === 'call') calledAt.set(block.callId, entry.timestamp ?? '');
    }
    const resumed = entry.type === 'user' ? resumedSchema.safeParse(entry.toolUseResult).data : undefined;
    for (const block of entry.type === 'user' && resumed ? readContent(entry.message?.content) : []) {
      if (block.kind !== 'result' || resumed === undefined) continue;
      const { callId } = block;
      resumptions.push({ agentId: resumed.resumedAgentId, callId, from: calledAt.get(callId) ?? '' });
    }
  }
  const runs = new Map<string, readonly TranscriptEntry[]>();
  for (const { agentId, callId, entries: steps } of subAgents) {
    const starts = [{ callId, from: '' }, ...resumptions.filter((resumption) => resumption.agentId === agentId)];
    for (const [index, start] of starts.entries()) {
      const next = starts[index + 1]?.from ?? '\uffff';
      runs.set(
        start.callId,
        steps.filter(({ timestamp = '' }) => timestamp >= start.from && timestamp < next),
      );
    }
  }
  return runs;
}

/** Adds the work under each call right after the call. */
export function* withWork(
  actions: readonly StreamAction[],
  sourceTimestamp: string,
  work: Work,
): Generator<TimedAction, void> {
  let start: ActionOf<'tool_start'> | undefined;
  for (const action of actions) {
    // The result of a background call only says that it was started.
    if (action.do === 'tool_done' && work.tasks.has(action.callId)) continue;
    if (action.do !== 'tool_arguments' && start !== undefined) {
      yield* workUnder(start, sourceTimestamp, work);
      start = undefined;
    }
    yield { action, sourceTimestamp };
    if (action.do === 'tool_start') start = action;
  }
  if (start !== undefined) yield* workUnder(start, sourceTimestamp, work);
}

function workUnder(call: ActionOf<'tool_start'>, startedAt: string, work: Work): readonly TimedAction[] {
  const { callId, turnId } = call;
  const task = work.tasks.get(callId);
  const { actions, report } = translateRun(call, work);
  if (task === undefined) return actions;
  const { taskId, isAgent, end } = task;
  const begun: StreamAction = { do: 'tool_background', callId, taskId, turnId };
  const output = isAgent ? (report?.text ?? '') : (work.outputs.get(taskId) ?? '');
  const last: StreamAction =
    end === undefined
      ? { do: 'tool_output', callId, turnId, output }
      : finishTask({ callId, turnId, isAgent, output }, end);
  return [
    { action: begun, sourceTimestamp: startedAt },
    ...actions,
    ...(end === undefined && (isAgent || output === '')
      ? []
      : [{ action: last, sourceTimestamp: end?.at ?? startedAt }]),
  ];
}

function translateRun({ callId, turnId, itemId: parentItemId }: ActionOf<'tool_start'>, work: Work) {
  // Each run is used once, so that a run that contains its own call cannot recurse for ever.
  const runs = new Map(work.runs);
  runs.delete(callId);
  const inner = { ...work, runs };
  const isStopped = work.tasks.get(callId)?.end?.status === 'stopped';
  const actions: TimedAction[] = [];
  let message: WholeMessage | undefined;
  let report: Report | undefined;
  let sourceTimestamp = '';
  for (const entry of work.runs.get(callId) ?? []) {
    sourceTimestamp = entry.timestamp ?? sourceTimestamp;
    if (entry.type === 'assistant' && entry.isApiErrorMessage !== true) {
      const messageId = entry.message?.id ?? entry.uuid ?? '';
      for (const block of readContent(entry.message?.content)) {
        const added = addBlock(continueMessage(message, messageId, message?.ordinal ?? 0), parentItemId);
        message = added.message;
        if (block.kind === 'text') report = addToReport(report, messageId, block.text);
        const place = { turnId, itemId: added.itemId, parentItemId };
        for (const action of withWork(wholeBlock(place, block), sourceTimestamp, inner)) actions.push(action);
      }
    } else if (entry.type === 'user') {
      // An interrupted step ends together with the task.
      if (isStopped && entry.toolUseResult === REJECTED) continue;
      const results = readContent(entry.message?.content).filter((block) => block.kind === 'result');
      const finished = results.map((result) =>
        finishCall({ turnId, parentItemId }, { ...result, details: entry.toolUseResult }),
      );
      for (const action of withWork(finished, sourceTimestamp, inner)) actions.push(action);
    }
  }
  return { actions, report };
}
