import { type Item, type ItemOf, runsInBackground } from '../../model/item.ts';
import { type ToolState, toolStateOf } from './tool-state.ts';
import { nameTask } from './tool-summary.ts';

const ENDS: Readonly<Record<ToolState, string>> = {
  running: 'started',
  done: 'finished',
  failed: 'failed',
  stopped: 'stopped',
};

/** What a screen reader hears when background work starts or ends. */
export function describeBackgroundChange(
  before: Item | undefined,
  after: Item | undefined,
  projectPath: string,
): string | undefined {
  if (after === undefined || !isToolCall(after)) return undefined;
  // An item that this page has not loaded may have been running for long.
  if (before === undefined && after.upsert.status !== 'create') return undefined;
  const wasRunning = before !== undefined && runsInBackground(before.upsert);
  if (wasRunning === runsInBackground(after.upsert)) return undefined;
  return `Background task ${ENDS[toolStateOf(after)]}: ${nameTask(after.upsert, projectPath)}.`;
}

const isToolCall = (item: Item): item is ItemOf<'tool_call'> => item.upsert.type === 'tool_call';
