import { z } from 'zod';
import type { ActionOf, StreamAction, TimedAction } from '../../../streaming/stream-actions.ts';
import type { Steps } from '../../../time-slice.ts';
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
export function* splitRuns(
  entries: readonly TranscriptEntry[],
  subAgents: readonly SubAgentTranscript[],
): Steps<ReadonlyMap<string, readonly TranscriptEntry[]>> {
  if (subAgents.length === 0) return new Map();
  const calledAt = new Map<string, string>();
  const resumptions: { readonly agentId: string; readonly callId: string; readonly from: string }[] = [];
  for (const entry of entries) {
    yield;
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

/** Sub-agents of sub-agents are shown down to this level. Claude Code itself has far fewer. */
const MAX_LEVEL = 16;

/** Adds the work under each call right after the call. Each run is shown once, under the first call that it belongs to. */
export function createWorkReader({ tasks, runs, outputs }: Work) {
  const shown = new Set<string>();

  function* withWork(
    actions: readonly StreamAction[],
    sourceTimestamp: string,
    level = 0,
  ): Generator<TimedAction, void, undefined> {
    let start: ActionOf<'tool_start'> | undefined;
    for (const action of actions) {
      // The result of a background call only says that it was started.
      if (action.do === 'tool_done' && tasks.has(action.callId)) continue;
      if (start !== undefined && action.do !== 'tool_arguments') {
        yield* workUnder(start, sourceTimestamp, level);
        start = undefined;
      }
      yield { action, sourceTimestamp };
      if (action.do === 'tool_start') start = action;
    }
    if (start !== undefined) yield* workUnder(start, sourceTimestamp, level);
  }

  function* workUnder(
    call: ActionOf<'tool_start'>,
    startedAt: string,
    level: number,
  ): Generator<TimedAction, void, undefined> {
    const { callId, turnId } = call;
    const task = tasks.get(callId);
    if (task !== undefined) {
      yield { action: { do: 'tool_background', callId, taskId: task.taskId, turnId }, sourceTimestamp: startedAt };
    }
    const report = yield* translateRun(call, startedAt, level);
    if (task === undefined) return;
    const { taskId, isAgent, end } = task;
    const output = isAgent ? (report?.text ?? '') : (outputs.get(taskId) ?? '');
    if (end !== undefined) {
      const action = finishTask({ callId, turnId, isAgent, output }, end);
      yield { action, sourceTimestamp: end.at ?? startedAt };
    } else if (!isAgent && output !== '') {
      yield { action: { do: 'tool_output', callId, turnId, output }, sourceTimestamp: startedAt };
    }
  }

  function* translateRun(
    { callId, turnId, itemId: parentItemId }: ActionOf<'tool_start'>,
    startedAt: string,
    level: number,
  ): Generator<TimedAction, Report | undefined, undefined> {
    if (level >= MAX_LEVEL || shown.has(callId)) return undefined;
    shown.add(callId);
    const isStopped = tasks.get(callId)?.end?.status === 'stopped';
    let message: WholeMessage | undefined;
    let report: Report | undefined;
    let sourceTimestamp = startedAt;
    for (const entry of runs.get(callId) ?? []) {
      sourceTimestamp = entry.timestamp ?? sourceTimestamp;
      if (entry.type === 'assistant' && entry.isApiErrorMessage !== true) {
        const messageId = entry.message?.id ?? entry.uuid ?? '';
        for (const block of readContent(entry.message?.content)) {
          const added = addBlock(continueMessage(message, messageId, message?.ordinal ?? 0), parentItemId);
          message = added.message;
          if (block.kind === 'text') report = addToReport(report, messageId, block.text);
          const place = { turnId, itemId: added.itemId, parentItemId };
          yield* withWork(wholeBlock(place, block), sourceTimestamp, level + 1);
        }
      } else if (entry.type === 'user') {
        // An interrupted step ends together with the task.
        if (isStopped && entry.toolUseResult === REJECTED) continue;
        const results = readContent(entry.message?.content).filter((block) => block.kind === 'result');
        const finished = results.map((result) =>
          finishCall({ turnId, parentItemId }, { ...result, details: entry.toolUseResult }),
        );
        yield* withWork(finished, sourceTimestamp, level + 1);
      }
    }
    return report;
  }

  return { withWork };
}
