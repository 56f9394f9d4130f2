import type { ReplyContext, ReplyWriter } from '../wire/api.ts';
import { errorType } from './refusal.ts';
import { toToolUse } from './tool-use.ts';

type OpenBlock = 'text' | 'thinking';

/** Small and constant, so that agents never compact a long conversation. */
const USAGE = { input_tokens: 10, output_tokens: 10 };

export function createAnthropicWriter({ conversation, replyId, send }: ReplyContext): ReplyWriter {
  let begun = false;
  let index = -1;
  let open: OpenBlock | undefined;
  let calls = 0;

  const begin = () => {
    if (begun) return;
    begun = true;
    send({
      type: 'message_start',
      message: {
        id: `msg_${replyId}`,
        type: 'message',
        role: 'assistant',
        model: conversation.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: USAGE,
      },
    });
  };

  const delta = (value: unknown) => send({ type: 'content_block_delta', index, delta: value });

  const close = () => {
    if (open === undefined) return;
    if (open === 'thinking') delta({ type: 'signature_delta', signature: 'scripted' });
    open = undefined;
    send({ type: 'content_block_stop', index });
  };

  const start = (block: unknown) => {
    begin();
    close();
    index += 1;
    send({ type: 'content_block_start', index, content_block: block });
  };

  return {
    say: (text) => {
      if (open !== 'text') start({ type: 'text', text: '' });
      open = 'text';
      delta({ type: 'text_delta', text });
    },
    think: (thinking) => {
      if (open !== 'thinking') start({ type: 'thinking', thinking: '', signature: '' });
      open = 'thinking';
      delta({ type: 'thinking_delta', thinking });
    },
    call: (call) => {
      const { name, input } = toToolUse(call, conversation.cwd);
      start({ type: 'tool_use', id: `toolu_${replyId}_${calls}`, name, input: {} });
      calls += 1;
      delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
      send({ type: 'content_block_stop', index });
    },
    finish: (reason) => {
      begin();
      close();
      const stopReason = reason === 'outOfTokens' ? 'max_tokens' : calls > 0 ? 'tool_use' : 'end_turn';
      send({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: USAGE });
      send({ type: 'message_stop' });
    },
    breakOff: (status, message) => send({ type: 'error', error: { type: errorType(status), message } }),
  };
}
