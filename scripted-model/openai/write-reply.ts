import type { ReplyContext, ReplyWriter } from '../wire/api.ts';
import { errorCode } from './refusal.ts';
import { toToolItem } from './tool-item.ts';

interface OpenItem {
  readonly type: 'message' | 'reasoning';
  readonly id: string;
  text: string;
}

/** Small and constant, so that agents never compact a long conversation. */
const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
};

export function createOpenAiWriter({ replyId, send }: ReplyContext): ReplyWriter {
  const response = { id: `resp_${replyId}` };
  const output: unknown[] = [];
  let begun = false;
  let open: OpenItem | undefined;

  const begin = () => {
    if (begun) return;
    begun = true;
    send({ type: 'response.created', response });
  };

  const added = (item: unknown) => send({ type: 'response.output_item.added', output_index: output.length, item });

  const done = (item: unknown) => {
    send({ type: 'response.output_item.done', output_index: output.length, item });
    output.push(item);
  };

  const close = () => {
    if (open !== undefined) done(finished(open));
    open = undefined;
  };

  const openItem = (type: OpenItem['type'], prefix: string): OpenItem => {
    if (open?.type === type) return open;
    begin();
    close();
    const item: OpenItem = { type, id: `${prefix}_${replyId}_${output.length}`, text: '' };
    added(started(item));
    if (type === 'reasoning') {
      const part = { type: 'summary_text', text: '' };
      send({ type: 'response.reasoning_summary_part.added', ...placeOf(item), summary_index: 0, part });
    }
    open = item;
    return item;
  };

  const placeOf = (item: OpenItem) => ({ item_id: item.id, output_index: output.length });

  return {
    say: (delta) => {
      const item = openItem('message', 'msg');
      item.text += delta;
      send({ type: 'response.output_text.delta', ...placeOf(item), content_index: 0, delta });
    },
    think: (delta) => {
      const item = openItem('reasoning', 'rs');
      item.text += delta;
      send({ type: 'response.reasoning_summary_text.delta', ...placeOf(item), summary_index: 0, delta });
    },
    call: (call) => {
      begin();
      close();
      const suffix = `${replyId}_${output.length}`;
      const item = { ...toToolItem(call), id: `item_${suffix}`, call_id: `call_${suffix}`, status: 'completed' };
      added(item);
      done(item);
    },
    finish: (reason) => {
      begin();
      close();
      const end = { ...response, output, usage: USAGE };
      if (reason === 'done') send({ type: 'response.completed', response: { ...end, status: 'completed' } });
      else {
        const details = { reason: 'max_output_tokens' };
        send({ type: 'response.incomplete', response: { ...end, status: 'incomplete', incomplete_details: details } });
      }
    },
    breakOff: (status, message) => {
      const error = { code: errorCode(status), message };
      send({ type: 'response.failed', response: { ...response, status: 'failed', error } });
    },
  };
}

function started({ type, id }: OpenItem) {
  return type === 'message' ? { type, id, role: 'assistant', content: [] } : { type, id, summary: [] };
}

function finished({ type, id, text }: OpenItem) {
  return type === 'message'
    ? { type, id, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
    : { type, id, summary: [{ type: 'summary_text', text }], encrypted_content: null };
}
