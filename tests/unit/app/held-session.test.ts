import { describe, expect, it } from 'vitest';
import { createScriptedProvider, type Transcripts } from '../../support/agents/scripted-provider.ts';
import { createScriptedTerminal } from '../../support/agents/scripted-terminal.ts';
import { createTestApp } from '../../support/server/test-app.ts';

async function heldSession() {
  const transcripts: Transcripts = new Map();
  const terminal = createScriptedTerminal(transcripts, () => new Date().toISOString(), '/nowhere');
  const agent = createScriptedProvider({ transcripts, ...terminal });
  const app = await createTestApp({ providers: [agent] });
  const sessionId = await app.createSession();
  const window = await app.connect();
  await window.ask('session:open', { sessionId });
  return { app, agent, terminal, sessionId, window, url: `/api/session/${encodeURIComponent(sessionId)}` };
}

describe('a session that another program has open', () => {
  it('follow/held tells every window, and refuses a message over HTTP and the socket with who has it', async () => {
    const { app, terminal, sessionId, window, url } = await heldSession();
    terminal.open(sessionId, { tty: 'pts/3' });
    const told = await window.next((frame) => frame.type === 'session:changed' && 'heldBy' in Object(frame.session));
    expect(told.session).toMatchObject({ heldBy: { pid: 4711, tty: 'pts/3', certain: true } });
    const refusal = { code: 'SESSION_IN_USE', details: { heldBy: { pid: 4711, tty: 'pts/3' } } };
    expect(await app.request('POST', `${url}/send`, { body: { content: 'hello' } })).toMatchObject({
      status: 409,
      body: refusal,
    });
    expect(await window.ask('session:send', { sessionId, content: 'hello' })).toMatchObject(refusal);
    terminal.close(sessionId);
    expect(await app.request('POST', `${url}/send`, { body: { content: 'hello' } })).toMatchObject({ status: 202 });
  });

  it.each([
    ['send', { content: 'hello', accept: 'resumed' }],
    ['send', { content: 'hello', accept: '' }],
    ['send', { content: 'hello', accept: null }],
    ['fork', { branch: '' }],
    ['fork', { branch: 'x'.repeat(257) }],
    ['fork', { branch: 7 }],
    ['fork', { itemId: [] }],
    ['fork', { more: true }],
  ])('follow/hostile a %s with %j is refused, and nothing is sent or copied', async (command, body) => {
    const { app, agent, url } = await heldSession();
    const before = agent.calls.length;
    const answer = await app.request('POST', `${url}/${command}`, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: expect.any(String), message: expect.any(String) } });
    expect(agent.calls).toHaveLength(before);
  });
});
