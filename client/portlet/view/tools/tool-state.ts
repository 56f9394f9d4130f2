import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import type { ItemOf } from '../../model/item.ts';

export type ToolState = 'running' | 'done' | 'failed' | 'stopped';

/** `stopped` means that the turn ended before there was a result. */
export function toolStateOf({ upsert, isOpen }: ItemOf<'tool_call'>): ToolState {
  if (isOpen) return 'running';
  if (upsert.errorCode === 'CANCELLED' || upsert.status === 'create' || upsert.status === 'update') return 'stopped';
  return isFailed(upsert) ? 'failed' : 'done';
}

export function isFailed({ status, toolOutputIsError }: ToolCallUpsert): boolean {
  return status === 'error' || toolOutputIsError === true;
}
