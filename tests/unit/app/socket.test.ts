import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventMessageSchema } from '../../../shared/events.ts';
import { createTestApp } from '../../support/server/test-app.ts';

describe('round trips on the socket', () => {
  it('project:add is answered by project:added', async () => {
    const app = await createTestApp();
    const window = await app.connect();
    const path = join(app.dataDir, 'work');
    mkdirSync(path);

    const answer = await window.ask('project:add', { path });

    expect(answer).toMatchObject({ type: 'project:added', project: { path, name: 'work' } });
  });

  it('session:create is answered by session:created', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const window = await app.connect();

    const answer = await window.ask('session:create', { projectId, cliType: 'codex' });

    expect(answer).toMatchObject({ type: 'session:created', sessionId: 'codex:s1', cliType: 'codex', projectId });
  });

  it('session:send streams: the user message, the turn, growing text, its end', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();
    await window.ask('session:open', { sessionId });

    const { turnId } = await window.ask('session:send', { sessionId, content: 'hi' });
    await window.next(({ payload }) => payload?.type === 'turn_complete');

    const all = window.frames.filter(({ payload }) => payload !== undefined);
    expect(all[0]).toMatchObject({ payload: { type: 'turn_receipt', turnId, receipt: 'kept' } });
    const stream = all.filter(({ payload }) => payload?.type !== 'turn_receipt');
    expect(stream.map(({ payload }) => (payload && 'status' in payload ? payload.status : payload?.type))).toEqual([
      'complete',
      'turn_started',
      'create',
      'update',
      'update',
      'complete',
      'completed',
    ]);
    expect(new Set(stream.map(({ payload }) => payload?.turnId))).toEqual(new Set([turnId]));
  });

  it('mvp/TC-3.7b session:cancel during a turn ends it as cancelled', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();
    await window.ask('session:open', { sessionId });
    await window.ask('session:send', { sessionId, content: 'hold' });

    expect(await window.ask('session:cancel', { sessionId })).toMatchObject({ type: 'session:cancel', sessionId });

    const end = await window.next(({ payload }) => payload?.type === 'turn_complete');
    expect(end.payload).toMatchObject({ status: 'cancelled' });
  });

  it('session:reconnect accepts an agent type instead of a session', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    expect(await window.ask('session:reconnect', { cliType: 'codex' })).toMatchObject({ cliType: 'codex' });
    expect(await window.ask('session:reconnect', { cliType: 'gemini' })).toMatchObject({
      code: 'UNSUPPORTED_CLI_TYPE',
    });
    expect(await window.ask('session:reconnect', {})).toMatchObject({ code: 'INVALID_MESSAGE' });
  });

  it('session:open fails with an error that names request and session when the load fails', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    for (const type of ['session:open', 'session:subscribe'] as const) {
      const answer = await window.ask(type, { sessionId: 'codex:unknown' });
      expect(answer).toMatchObject({ type: 'error', code: 'SESSION_NOT_FOUND', sessionId: 'codex:unknown' });
    }
  });

  it.each([
    ['text that is not JSON', 'hello'],
    ['nothing', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['no type', '{}'],
    ['an unknown type', '{"type":"session:explode"}'],
    ['a type of Object.prototype', '{"type":"constructor"}'],
    ['a missing field', '{"type":"project:add"}'],
    ['an extra field', '{"type":"project:list","extra":1}'],
    ['a wrong type of field', '{"type":"project:add","path":{}}'],
    ['a request id that is not a string', '{"type":"project:list","requestId":7}'],
    ['a request id that is empty', '{"type":"project:list","requestId":""}'],
    ['a second auth', '{"type":"auth","token":"again"}'],
  ])('%s is INVALID_MESSAGE and the connection stays open', async (_name, text) => {
    const app = await createTestApp();
    const window = await app.connect();

    window.send(text);

    expect(await window.next('error')).toMatchObject({ code: 'INVALID_MESSAGE' });
    expect(await window.ask('project:list')).toMatchObject({ type: 'project:list', projects: [] });
  });

  it('a binary frame is INVALID_MESSAGE and the connection stays open', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    window.socket.send(Buffer.from('{"type":"project:list"}'), { binary: true });

    expect(await window.next('error')).toMatchObject({ code: 'INVALID_MESSAGE' });
    await window.settled();
  });

  it('an error names the request even if the rest of the frame is invalid', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    window.send({ type: 'nonsense', requestId: 'r-1', sessionId: 'codex:x' });

    expect(await window.next('error')).toMatchObject({ requestId: 'r-1', sessionId: 'codex:x' });
  });

  it('every event matches its schema', async () => {
    const app = await createTestApp();
    const window = await app.connect();
    const asker = await app.connect();
    const { id: projectId } = await app.addProject();
    const { sessionId } = await asker.ask('session:create', { projectId, cliType: 'codex' });
    await window.ask('session:open', { sessionId });
    await asker.ask('session:send', { sessionId, content: 'think, use a tool' });
    await window.next(({ payload }) => payload?.type === 'turn_complete');
    await asker.ask('session:send', { sessionId, content: 'fail' });
    await window.next(({ payload }) => payload?.type === 'turn_error');
    app.providers[1]?.crash(sessionId ?? '');
    await asker.ask('session:archive', { sessionId });
    await asker.ask('project:remove', { projectId });
    await window.next('project:removed');
    window.send('nonsense');
    await window.next('error');

    const seen = new Set<string>();
    for (const frame of window.frames.filter(({ type }) => type !== 'auth:ok')) {
      seen.add(eventMessageSchema.parse(frame).type);
    }
    expect([...seen].sort()).toEqual([
      'agent:status',
      'error',
      'project:removed',
      'session:archived',
      'session:changed',
      'session:created',
      'session:history',
      'session:title-updated',
      'session:turn',
      'session:upsert',
    ]);
  });
});
