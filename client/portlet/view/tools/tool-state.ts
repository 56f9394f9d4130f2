import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { type ItemOf, isUnfinished } from '../../model/item.ts';

export type ToolState = 'running' | 'done' | 'failed' | 'stopped';

const STOPPED = new Set(['CANCELLED', 'STOPPED']);

/** `stopped` means that the turn ended before there was a result, or that the user stopped it. */
export function toolStateOf({ upsert, isOpen }: ItemOf<'tool_call'>): ToolState {
  if (isOpen) return 'running';
  if (STOPPED.has(upsert.errorCode ?? '') || isUnfinished(upsert)) return 'stopped';
  return isFailed(upsert) ? 'failed' : 'done';
}

export function isFailed({ status, toolOutputIsError }: ToolCallUpsert): boolean {
  return status === 'error' || toolOutputIsError === true;
}
