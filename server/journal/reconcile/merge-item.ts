import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** Reasons for which an item ended although the agent may have gone on. */
const CUT_CODES: ReadonlySet<string> = new Set(['SERVER_STOPPED', 'PROCESS_CRASH', 'STOPPED']);

/** It has not ended, or not by itself. */
export function isCut({ status, errorCode }: UpsertObject): boolean {
  if (status === 'complete') return false;
  return status !== 'error' || CUT_CODES.has(errorCode ?? '');
}

/** The item with the mark that it is not in the model's context, or without it. */
export function markContext(item: UpsertObject, isInContext: boolean): UpsertObject {
  if (isInContext === (item.inContext === undefined)) return item;
  const { inContext: _before, ...unmarked } = item;
  return isInContext ? unmarked : { ...unmarked, inContext: false };
}

/** An item that both have: as it was shown, or as the transcript has it where that is more. Keeps the journal's ids. */
export function mergeItem(kept: UpsertObject, native: UpsertObject): UpsertObject {
  if (!hasMore(kept, native)) return markContext(kept, true);
  const { turnId, itemId, sessionId } = kept;
  const { parentItemId: _native, ...whole } = native;
  const { parentItemId } = kept;
  return { ...whole, turnId, itemId, sessionId, ...(parentItemId !== undefined && { parentItemId }) };
}

function hasMore(kept: UpsertObject, native: UpsertObject): boolean {
  if (native.status !== 'complete' || native.type !== kept.type) return false;
  if (isCut(kept)) return true;
  if (kept.type === 'tool_call' || native.type === 'tool_call' || kept.content === native.content) return false;
  return kept.content !== '' && native.content.startsWith(kept.content);
}
