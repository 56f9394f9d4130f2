import { describe, expect, it } from 'vitest';
import { parseSessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';

const parse = (update: unknown) => parseSessionUpdate({ sessionId: 's1', update });

describe('a session update', () => {
  it.for([
    ['text', { type: 'text', text: 'hello' }, 'hello'],
    ['an image', { type: 'image', data: '…', mimeType: 'image/png' }, '[image]'],
    ['audio', { type: 'audio', data: '…', mimeType: 'audio/wav' }, '[audio]'],
    ['a link', { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' }, '[a.ts](file:///a.ts)'],
    ['a resource', { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }, 'inside'],
    ['a binary resource', { type: 'resource', resource: { uri: 'file:///a', blob: '…' } }, '[resource](file:///a)'],
  ] as const)('has its content as text: %s', ([, content, text]) => {
    expect(parse({ sessionUpdate: 'agent_message_chunk', content })).toMatchObject({
      ok: true,
      nativeId: 's1',
      update: { content: text },
    });
  });

  it('treats an invalid optional field as absent', () => {
    const odd = {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 7,
      kind: [],
      status: 'maybe',
      locations: 'here',
      _meta: 3,
    };
    expect(parse(odd)).toEqual({ ok: true, nativeId: 's1', update: { sessionUpdate: 'tool_call', toolCallId: 'c1' } });
  });

  it('leaves out invalid content and keeps the rest', () => {
    const content = [{ type: 'hologram' }, { type: 'diff', path: 'a', newText: 'b' }, null];
    expect(parse({ sessionUpdate: 'tool_call', toolCallId: 'c1', content })).toMatchObject({
      update: { content: [{ type: 'diff', path: 'a', newText: 'b' }] },
    });
  });

  it.for([
    [undefined, /^invalid session\/update: expected/],
    [{ sessionId: 's1' }, /^invalid session\/update: expected/],
    [{ sessionId: 7, update: {} }, /^invalid session\/update: expected/],
    [{ sessionId: 's1', update: {} }, /^unknown session update undefined$/],
    [{ sessionId: 's1', update: { sessionUpdate: 'tool_call' } }, /^invalid tool_call: toolCallId: /],
    [
      { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content: 'text' } },
      /^invalid agent_message_chunk: content: /,
    ],
    [{ sessionId: 's1', update: { sessionUpdate: 'subagent_spawned' } }, /^unknown session update "subagent_spawned"$/],
    [{ sessionId: 's1', update: { sessionUpdate: '__proto__' } }, /^unknown session update "__proto__"$/],
  ] as const)('is rejected with a reason when it is invalid: %j', ([params, reason]) => {
    expect(parseSessionUpdate(params)).toMatchObject({ ok: false, problem: expect.stringMatching(reason) });
  });
});
