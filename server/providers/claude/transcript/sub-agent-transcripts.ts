import type { ActionOf, TimedAction } from '../../../streaming/stream-actions.ts';
import { finishCall, wholeBlock } from '../content/block-actions.ts';
import { readContent } from '../content/content-blocks.ts';
import { addBlock, continueMessage, type WholeMessage } from '../content/turn-scope.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** Transcripts of sub-agents by the call they worked for. */
export type SubAgentTranscripts = ReadonlyMap<string, readonly TranscriptEntry[]>;

/** What was done under a call that was handed on. */
export function subAgentActions(
  { callId, turnId, itemId: parentItemId }: ActionOf<'tool_start'>,
  transcripts: SubAgentTranscripts,
): readonly TimedAction[] {
  const entries = transcripts.get(callId);
  if (entries === undefined) return [];
  const remaining = new Map(transcripts);
  // Each transcript once: one that names a call of its own would never end.
  remaining.delete(callId);

  const actions: TimedAction[] = [];
  let message: WholeMessage | undefined;
  let sourceTimestamp = '';
  for (const entry of entries) {
    sourceTimestamp = entry.timestamp ?? sourceTimestamp;
    if (entry.type !== 'assistant' && entry.type !== 'user') continue;
    for (const inner of readContent(entry.message?.content)) {
      if (entry.type === 'assistant') {
        const continued = continueMessage(message, entry.message?.id ?? entry.uuid ?? '', message?.ordinal ?? 0);
        const added = addBlock(continued, parentItemId);
        message = added.message;
        const place = { turnId, itemId: added.itemId, parentItemId };
        for (const action of wholeBlock(place, inner)) {
          actions.push({ action, sourceTimestamp });
          if (action.do === 'tool_start') actions.push(...subAgentActions(action, remaining));
        }
      } else if (inner.kind === 'result') {
        const result = { ...inner, details: entry.toolUseResult };
        actions.push({ action: finishCall({ turnId, parentItemId }, result), sourceTimestamp });
      }
    }
  }
  return actions;
}
