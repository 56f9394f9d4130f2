import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** What a user sees of an item: everything except ids and times. */
export function whatIsShown(item: UpsertObject): object {
  if (item.type !== 'tool_call') {
    const { type, content, status } = item;
    return { type, content, status, ...(item.type === 'message' && { origin: item.origin }) };
  }
  const { type, status, toolName, toolArguments, toolOutput, toolOutputIsError, toolKind, diffs, exitCode } = item;
  return { type, status, toolName, toolArguments, toolOutput, toolOutputIsError, toolKind, diffs, exitCode };
}
