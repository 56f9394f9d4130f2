import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import { createPipeAgent } from './pipe-agent.ts';

const textUpdate = (text: string, sessionId = 's1') => ({
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
});

describe('a connection to an agent', () => {
  it('sends its capabilities in the handshake', async () => {
    const agent = createPipeAgent();
    const connection = await agent.connect({ loadSession: true, sessionCapabilities: { close: {} } });
    expect(agent.received[0]).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: 1,
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: true },
          terminal: true,
          session: { notices: {} },
        },
        clientInfo: { name: 'liminal-builder' },
      },
    });
    expect(connection.can).toEqual({
      load: true,
      resume: false,
      close: true,
      delete: false,
      title: false,
      fork: false,
      list: false,
    });
  });

  it('delivers every update before the response that follows it, also when all arrive at once', async () => {
    const order: string[] = [];
    const agent = createPipeAgent({
      onUpdate: (_nativeId, update) => order.push((update as Extract<SessionUpdate, { content: string }>).content),
    });
    const connection = await agent.connect();
    const answered = connection.prompt('s1', 'go').then(() => order.push('answer'));
    const { id } = await agent.untilRequest('session/prompt');
    agent.write(
      textUpdate('one'),
      textUpdate('two'),
      textUpdate('three'),
      { id, result: { stopReason: 'end_turn' } },
      textUpdate('late'),
    );
    await answered;
    expect(order.slice(0, 3)).toEqual(['one', 'two', 'three']);
  });

  it('rejects open requests when the agent closes its output', async () => {
    const agent = createPipeAgent();
    const connection = await agent.connect();
    const prompt = connection.prompt('s1', 'go');
    await agent.untilRequest('session/prompt');
    agent.stdout.end();
    await expect(prompt).rejects.toThrow('closed');
    await connection.closed;
    await expect(connection.newSession('/')).rejects.toThrow('closed');
  });

  it.for([
    ['no session id', {}],
    ['an invalid session id', { sessionId: '../../etc' }],
    ['an empty response', null],
  ] as const)('rejects a new session with %s', async ([, result]) => {
    const agent = createPipeAgent();
    const connection = await agent.connect();
    const created = connection.newSession('/project');
    const { id } = await agent.untilRequest('session/new');
    agent.write({ id, result });
    await expect(created).rejects.toMatchObject({ code: 'AGENT_PROTOCOL_ERROR' });
  });

  it('reads the usage of a turn and ignores an invalid one', async () => {
    const agent = createPipeAgent();
    const connection = await agent.connect();
    const answers = [
      { stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3, cachedWriteTokens: 4 } },
      { stopReason: 'end_turn', usage: { inputTokens: -1, outputTokens: 'many' } },
      { stopReason: 'end_turn', usage: null },
    ];
    const got: unknown[] = [];
    for (const [index, result] of answers.entries()) {
      const prompt = connection.prompt('s1', `go ${index}`);
      const { id } = await agent.until(({ params }) => JSON.stringify(params).includes(`go ${index}`));
      agent.write({ id, result });
      got.push(await prompt);
    }
    expect(got).toEqual([
      {
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
      },
      { stopReason: 'end_turn' },
      { stopReason: 'end_turn' },
    ]);
  });
});
