import type { ToolCallUpsert } from '../../../shared/stream-contracts.ts';
import { isOpen } from '../conversation/item.ts';

export type ToolState = 'running' | 'done' | 'failed' | 'stopped';

/** `stopped`: the user cancelled the turn before there was a result. */
export function toolStateOf(upsert: ToolCallUpsert): ToolState {
  if (isOpen(upsert)) return 'running';
  if (upsert.errorCode === 'CANCELLED') return 'stopped';
  return isFailed(upsert) ? 'failed' : 'done';
}

export function isFailed({ status, toolOutputIsError }: ToolCallUpsert): boolean {
  return status === 'error' || toolOutputIsError === true;
}
