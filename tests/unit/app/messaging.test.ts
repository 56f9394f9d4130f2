import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { createTestApp } from '../../support/server/test-app.ts';
import { transports } from '../../support/server/transports.ts';

describe.each(transports)('messages over $name', (transport) => {
  it('stream/TC-6.2a send goes to the provider of the session and returns the turn id', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();
    await window.ask('session:subscribe', { sessionId });

    const { output } = await transport.run(app, 'session:send', { sessionId, content: 'hello there' });

    expect(output?.turnId).toEqual(expect.any(String));
    expect(app.agent.calls.at(-1)).toEqual({ method: 'send', sessionId, content: 'hello there' });
    expect(app.providers[1]?.calls).toEqual([]);
    const started = await window.next((frame) => frame.payload?.type === 'turn_started');
    expect(started.payload?.turnId).toBe(output?.turnId);
  });

  it('stream/TC-6.2d everything in a turn has the turn id that send returned', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();
    await window.ask('session:subscribe', { sessionId });

    const { output } = await transport.run(app, 'session:send', { sessionId, content: 'think and use a tool' });
    await window.next((frame) => frame.payload?.type === 'turn_complete');

    const payloads = window.frames.flatMap(({ payload }) => (payload === undefined ? [] : [payload]));
    expect(payloads.length).toBeGreaterThan(5);
    expect(new Set(payloads.map(({ turnId }) => turnId))).toEqual(new Set([output?.turnId]));
    const user = payloads.find((payload) => 'itemId' in payload);
    expect(user).toMatchObject({ itemId: `${output?.turnId}:user`, origin: 'user', status: 'complete' });
  });

  it('stream/TC-6.2c mvp/TC-3.7b cancel ends the running turn as cancelled and keeps its text', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();
    await window.ask('session:subscribe', { sessionId });
    const sent = await transport.run(app, 'session:send', { sessionId, content: 'hold' });
    await window.next((frame) => frame.payload?.type === 'message' && frame.payload.content.startsWith('Holding'));

    const { output } = await transport.run(app, 'session:cancel', { sessionId });

    expect(output).toEqual({ sessionId });
    expect(app.agent.calls.at(-1)).toEqual({ method: 'cancel', sessionId });
    const end = await window.next((frame) => frame.payload?.type === 'turn_complete');
    expect(end.payload).toMatchObject({ turnId: sent.output?.turnId, status: 'cancelled' });
    const status = await transport.run(app, 'session:status', { sessionId });
    expect(status.output).toMatchObject({ running: false, state: 'open' });
  });

  it('cancel without a running turn does nothing', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();

    expect((await transport.run(app, 'session:cancel', { sessionId })).output).toEqual({ sessionId });
  });

  it('a message that is empty, too long or not a string is rejected before it reaches an agent', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();

    for (const content of ['', ' \n\t ', 'x'.repeat(512 * 1024 + 1), 7, null, ['a'], { text: 'a' }]) {
      const { error } = await transport.run(app, 'session:send', { sessionId, content });

      expect(error?.code).toBe('INVALID_MESSAGE');
      expect(error?.message).toContain('content');
    }
    expect(app.agent.calls).toEqual([{ method: 'create' }]);
  });

  it('a message that the agent rejects is answered with its error, and no turn is shown', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    app.agent.failNext('send', new ProviderError('AGENT_NOT_SIGNED_IN'));

    const { error } = await transport.run(app, 'session:send', { sessionId, content: 'hello' });

    expect(error?.code).toBe('AGENT_NOT_SIGNED_IN');
    const window = await app.connect();
    expect(await window.ask('session:subscribe', { sessionId })).toMatchObject({ entries: [], turns: [] });
  });

  it('a message to a closed session opens the session first', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    await app.app.service.kill({ sessionId });

    const { output } = await transport.run(app, 'session:send', { sessionId, content: 'hello again' });

    expect(output?.turnId).toEqual(expect.any(String));
    expect(app.agent.calls.slice(-2).map(({ method }) => method)).toEqual(['load', 'send']);
  });
});
