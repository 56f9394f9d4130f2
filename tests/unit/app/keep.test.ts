import { describe, expect, it } from 'vitest';
import { createClaudeHome } from '../../support/agents/native-homes.ts';
import { createScriptedProvider } from '../../support/agents/scripted-provider.ts';
import { createTestApp } from '../../support/server/test-app.ts';

describe('copies of transcripts', () => {
  it('keep/copies a session is listed as kept soon after its first turn, and the windows are told', async () => {
    const native = createClaudeHome();
    const { nativeFiles } = native.driver;
    const agent = createScriptedProvider({ ...(nativeFiles && { nativeFiles }) });
    const app = await createTestApp({ providers: [agent], keep: { on: true, timing: { soonMs: 1 } } });
    const window = await app.connect();
    const project = await app.addProject();
    const sessionId = await app.createSession({ projectId: project.id });
    native.write(sessionId.slice('claude-code:'.length), project.path, 'hello');
    const list = async () => (await app.request('GET', `/api/session/list?projectId=${project.id}`)).body.sessions?.[0];
    expect(await list()).toMatchObject({ kept: false });
    await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/send`, { body: { content: 'hello' } });
    await window.next((frame) => frame.type === 'session:changed' && JSON.stringify(frame).includes('"kept":true'));
    expect(await list()).toMatchObject({ kept: true });
    expect(window.frames.some(({ type }) => type === 'keep:status')).toBe(true);
    expect((await app.request('GET', '/api/kept')).body).toMatchObject({ on: true, sessions: 1, files: 1 });
  });

  it('keep/put-back refuses unknown, archived and malformed sessions, sessions without a copy, and extra fields', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const putBack = (id: string, body: unknown = {}) =>
      app.request('POST', `/api/session/${encodeURIComponent(id)}/put-back`, { body });
    expect(await putBack(sessionId)).toMatchObject({ status: 404, body: { code: 'NOT_KEPT' } });
    for (const id of ['codex:unknown', 'nonsense', '../../etc', 'codex:../x']) {
      expect(await putBack(id), id).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
    }
    expect(await putBack(sessionId, { force: true })).toMatchObject({ status: 400, body: { code: 'INVALID_MESSAGE' } });
    expect((await app.request('GET', '/api/kept?x=1')).status).toBe(400);
    await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/archive`, { body: {} });
    expect(await putBack(sessionId)).toMatchObject({ status: 404, body: { code: 'SESSION_NOT_FOUND' } });
  });
});
