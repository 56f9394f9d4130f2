import { allEvents, post, type SentEvent } from './post.ts';
import { anthropicBody, openAiBody, userItem } from './requests.ts';

export interface SimulatedAgent {
  /** Sends a message, answers every tool call, and returns the text of each reply. */
  turn(text: string): Promise<readonly string[]>;
}

/** The loop of Claude Code: one request per reply, tool results in the next. */
export function simulateClaude(url: string, sessionId: string): SimulatedAgent {
  const messages: unknown[] = [];
  return {
    async turn(text) {
      messages.push({
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>\nx\n</system-reminder>' },
          { type: 'text', text },
        ],
      });
      const said: string[] = [];
      for (;;) {
        const headers = { 'x-claude-code-session-id': sessionId };
        const events = await allEvents(
          await post(`${url}/v1/messages?beta=true`, anthropicBody(messages), { headers }),
        );
        said.push(joined(events, (event) => pick(event, 'delta', 'text')));
        messages.push({ role: 'assistant', content: [{ type: 'text', text: said.at(-1) }] });
        const calls = events.map((event) => pick(event, 'content_block', 'id')).filter((id) => id !== '');
        if (calls.length === 0) return said;
        const results = calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }));
        messages.push({ role: 'user', content: results });
      }
    },
  };
}

/** The loop of Codex: the same, with items in place of messages. */
export function simulateCodex(url: string, threadId: string): SimulatedAgent {
  const input: unknown[] = [userItem('<environment_context>\n  <cwd>/project</cwd>\n</environment_context>')];
  return {
    async turn(text) {
      input.push(userItem(text));
      const said: string[] = [];
      for (;;) {
        const headers = { 'thread-id': threadId };
        const events = await allEvents(await post(`${url}/v1/responses`, openAiBody(input), { headers }));
        said.push(joined(events, (event) => (typeof event.delta === 'string' ? event.delta : '')));
        const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
        input.push(...items);
        const calls = items.map((item) => pick({ type: '', item }, 'item', 'call_id')).filter((id) => id !== '');
        if (calls.length === 0) return said;
        input.push(...calls.map((id) => ({ type: 'function_call_output', call_id: id, output: `result of ${id}` })));
      }
    },
  };
}

function joined(events: readonly SentEvent[], textOf: (event: SentEvent) => string): string {
  return events.map(textOf).join('');
}

function pick(event: SentEvent, outer: string, inner: string): string {
  const value = (event[outer] as Record<string, unknown> | undefined)?.[inner];
  return typeof value === 'string' ? value : '';
}
