import { describe, expect, it } from 'vitest';
import type { MessageUpsert, ToolCallUpsert, UpsertObject } from '../../../shared/stream-contracts.ts';
import { wordsOf } from '../../support/agents/scripted-answers.ts';
import { conversation } from '../../support/agents/scripted-history.ts';
import type { SocketClient } from '../../support/server/socket-client.ts';
import { createTestApp } from '../../support/server/test-app.ts';

function upsertsOf(window: SocketClient): UpsertObject[] {
  return window.of('session:upsert').map(({ payload }) => payload as UpsertObject);
}

describe.each([
  ['a', 'claude-code'],
  ['b', 'codex'],
] as const)('the output of an agent reaches the windows (%s: %s)', (letter, cliType) => {
  it(`stream/TC-7.1${letter} text arrives as message upserts whose content grows`, async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession({ cliType });
    const window = await app.connect();
    await window.ask('session:subscribe', { sessionId });
    const provider = app.providers.find((candidate) => candidate.cliType === cliType);
    provider?.answerNext([{ say: wordsOf('One two three four five') }]);

    await window.ask('session:send', { sessionId, content: 'Count' });
    await window.next((frame) => frame.payload?.type === 'turn_complete');

    const answer = upsertsOf(window).filter(
      (upsert): upsert is MessageUpsert => upsert.type === 'message' && upsert.origin === 'agent',
    );
    expect(answer.map(({ status }) => status)).toEqual(['create', 'update', 'update', 'update', 'update', 'complete']);
    expect(answer.map(({ content }) => content)).toEqual([
      'One',
      'One two',
      'One two three',
      'One two three four',
      'One two three four five',
      'One two three four five',
    ]);
    expect(new Set(answer.map(({ itemId }) => itemId)).size).toBe(1);
  });

  it('stream/TC-7.1c a tool call arrives as create and then as complete with its result', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession({ cliType });
    const window = await app.connect();
    await window.ask('session:subscribe', { sessionId });

    await window.ask('session:send', { sessionId, content: 'use a tool' });
    await window.next((frame) => frame.payload?.type === 'turn_complete');

    const calls = upsertsOf(window).filter((upsert): upsert is ToolCallUpsert => upsert.type === 'tool_call');
    expect(calls).toMatchObject([
      { status: 'create', toolName: 'Bash', toolArguments: { command: 'echo hello' } },
      { status: 'complete', toolName: 'Bash', toolOutput: 'hello\n', toolOutputIsError: false },
    ]);
  });

  it(`stream/TC-7.3${letter} a loaded session shows its history in every window that watches it`, async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession({ cliType });
    await app.app.service.kill({ sessionId });
    const past = conversation(sessionId, ['First?', 'Yes.'], ['Second?', 'No.']);
    app.providers.find((candidate) => candidate.cliType === cliType)?.remember(sessionId, past);

    const loaded = await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/load`);
    const window = await app.connect();
    const history = await window.ask('session:open', { sessionId });

    expect(loaded).toMatchObject({ status: 200, body: { sessionId, cliType } });
    expect(history).toMatchObject({ type: 'session:history', sessionId, entries: past, turns: [] });
  });
});

describe('a window that joins', () => {
  it('gets finished and unfinished items, then the rest', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const first = await app.connect();
    await first.ask('session:open', { sessionId });
    app.agent.answerNext([{ say: ['Half'] }, { hold: true }, { say: ['Done'] }]);
    const { turnId } = await app.app.service.send({ sessionId, content: 'Go' });
    await first.next(({ payload }) => payload?.type === 'message' && payload.content === 'Half');

    const late = await app.connect();
    const history = await late.ask('session:open', { sessionId });
    app.agent.release(sessionId);
    await late.next((frame) => frame.payload?.type === 'turn_complete');

    expect(history.turns).toMatchObject([{ turnId, status: 'running' }]);
    expect(history.entries).toMatchObject([{ itemId: `${turnId}:user`, content: 'Go' }, { content: 'Half' }]);
    expect(upsertsOf(late).at(-1)).toMatchObject({ content: 'Done', status: 'complete' });
  });

  it('gets no events of sessions it is not subscribed to, and none after unsubscribing', async () => {
    const app = await createTestApp();
    const watched = await app.createSession();
    const other = await app.createSession();
    const window = await app.connect();
    await window.ask('session:open', { sessionId: watched });

    await app.app.service.send({ sessionId: other, content: 'aside' });
    await expect.poll(async () => (await app.app.service.status({ sessionId: other })).running).toBe(false);
    await window.ask('session:unsubscribe', { sessionId: watched });
    await app.app.service.send({ sessionId: watched, content: 'unheard' });
    await expect.poll(async () => (await app.app.service.status({ sessionId: watched })).running).toBe(false);
    await window.settled();

    expect(window.of('session:upsert')).toEqual([]);
    expect(window.of('session:turn')).toEqual([]);
  });

  it('gets the status of the agents', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    app.agent.crash(sessionId);

    const window = await app.connect();
    const status = await window.next('agent:status');

    expect(status).toMatchObject({ cliType: 'claude-code', sessionId, status: 'disconnected' });
  });
});
