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

/** What is known about the work under calls, beside the conversation itself. */
export interface Work {
  readonly tasks: TranscriptTasks;
  /** What sub-agents did, by the call they worked for. */
  readonly runs: ReadonlyMap<string, readonly TranscriptEntry[]>;
  /** The output of shells, by the id of their task. */
  readonly outputs: ReadonlyMap<string, string>;
}

export const NO_WORK: Work = { tasks: new Map(), runs: new Map(), outputs: new Map() };

const resumedSchema = z.looseObject({ resumedAgentId: z.string() });

/** A sub-agent that is sent a message after it ended works on for that call, in the same transcript. */
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

/** Actions of an entry with the work under each call right after the call. */
export function withWork(
  actions: readonly StreamAction[],
  sourceTimestamp: string,
  work: Work,
): readonly TimedAction[] {
  const timed: TimedAction[] = [];
  let start: ActionOf<'tool_start'> | undefined;
  const flush = () => {
    if (start !== undefined) timed.push(...workUnder(start, sourceTimestamp, work));
    start = undefined;
  };
  for (const action of actions) {
    // The result of a call that goes on says only that.
    if (action.do === 'tool_done' && work.tasks.has(action.callId)) continue;
    if (action.do !== 'tool_arguments') flush();
    timed.push({ action, sourceTimestamp });
    if (action.do === 'tool_start') start = action;
  }
  flush();
  return timed;
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
  // Each run once: one that names a call of its own would never end.
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
        actions.push(...withWork(wholeBlock(place, block), sourceTimestamp, inner));
      }
    } else if (entry.type === 'user') {
      // What was interrupted ends with the task.
      if (isStopped && entry.toolUseResult === REJECTED) continue;
      const results = readContent(entry.message?.content).filter((block) => block.kind === 'result');
      const finished = results.map((result) =>
        finishCall({ turnId, parentItemId }, { ...result, details: entry.toolUseResult }),
      );
      actions.push(...withWork(finished, sourceTimestamp, inner));
    }
  }
  return { actions, report };
}
