import type { StreamEvent } from '../wire/event-stream.ts';
import { asRecord, asString, type JsonRecord } from '../wire/json.ts';

/**
 * Assembles the reply into one message, for requests without streaming. Claude Code sends one after a broken stream.
 */
export function assembleMessage(events: readonly StreamEvent[]): unknown {
  let message: JsonRecord = {};
  const content: JsonRecord[] = [];
  for (const event of events) {
    if (event.type === 'message_start') message = asRecord(event.message);
    else if (event.type === 'content_block_start') content.push(asRecord(event.content_block));
    else if (event.type === 'content_block_delta') {
      content.push(extend(content.pop() ?? {}, asRecord(event.delta)));
    } else if (event.type === 'message_delta') message = { ...message, ...asRecord(event.delta) };
  }
  return { ...message, content };
}

function extend(block: JsonRecord, delta: JsonRecord): JsonRecord {
  switch (delta.type) {
    case 'text_delta':
      return { ...block, text: asString(block.text) + asString(delta.text) };
    case 'thinking_delta':
      return { ...block, thinking: asString(block.thinking) + asString(delta.thinking) };
    case 'signature_delta':
      return { ...block, signature: delta.signature };
    case 'input_json_delta':
      return { ...block, input: JSON.parse(asString(delta.partial_json)) };
    default:
      return block;
  }
}
