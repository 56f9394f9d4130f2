import type { AppendMessage } from '../../../shared/events.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** The item after its text grew; undefined if the growth does not continue the text that is known. */
export function appendText(known: UpsertObject, { at, text, end }: AppendMessage): UpsertObject | undefined {
  if (known.type === 'tool_call' || known.content.length !== at) return undefined;
  return { ...known, status: 'update', ...end, content: known.content + text };
}
