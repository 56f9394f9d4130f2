import { describe, expect, it } from 'vitest';
import { createApi } from '../../../../client/shell/server/api.ts';

function apiWith(answer: () => Response | Promise<Response>, isConnected = true) {
  const requests: { url: string; init: RequestInit }[] = [];
  const signed: unknown[] = [];
  const api = createApi({
    origin: 'http://lb-a.localhost:3000',
    signRequest: (request) => {
      signed.push(request);
      return isConnected ? `Liminal ${signed.length}` : null;
    },
    fetch: async (input, init = {}) => {
      requests.push({ url: String(input), init });
      return answer();
    },
  });
  return { api, requests, signed };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

describe('commands over HTTP', () => {
  it('put the id into the path, the rest into the body, and the signature into the header', async () => {
    const { api, requests, signed } = apiWith(() => json({ sessionId: 'codex:a.b', turnId: 't1' }, 202));
    const content = 'Grüße, \ud800 "quoted"\n';
    expect(await api.call('session:send', { sessionId: 'codex:a.b', content })).toMatchObject({
      ok: true,
      value: { turnId: 't1' },
    });
    const [request] = requests;
    expect(request?.url).toBe('/api/session/codex%3Aa.b/send');
    expect(request?.init).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Liminal 1', 'content-type': 'application/json' },
    });
    expect(JSON.parse(String(request?.init.body))).toEqual({ content });
    expect(signed).toEqual([{ method: 'POST', path: '/api/session/codex%3Aa.b/send', body: request?.init.body }]);
  });

  it('put the input into the query if there is no body', async () => {
    const { api, requests } = apiWith(() => json({ directories: [], truncated: false }));
    await api.call('directory:complete', { prefix: '~/a b&c' });
    expect(requests[0]?.url).toBe('/api/directories?prefix=%7E%2Fa+b%26c');
    expect(requests[0]?.init.body).toBeUndefined();
  });

  it('put the id of a deleted project into the path', async () => {
    const projectId = '00000000-0000-4000-8000-000000000001';
    const { api, requests } = apiWith(() => json({ projectId }));
    await api.call('project:remove', { projectId });
    expect(requests[0]).toMatchObject({ url: `/api/project/${projectId}`, init: { method: 'DELETE' } });
  });

  it('return the error of the server', async () => {
    const { api } = apiWith(() => json({ code: 'SESSION_NOT_FOUND', message: 'Gone.' }, 404));
    expect(await api.call('session:archive', { sessionId: 'codex:1' })).toEqual({
      ok: false,
      error: { code: 'SESSION_NOT_FOUND', message: 'Gone.' },
    });
  });

  it.each([
    ['an unreachable server', () => Promise.reject(new TypeError('Failed to fetch')), 'cannot be reached'],
    ['a response that is not JSON', () => new Response('<html>'), 'cannot be reached'],
    ['a response that does not match the schema', () => json({ turnId: 7 }), 'Reload'],
    ['an error that does not match the schema', () => json({ oops: true }, 500), 'Reload'],
  ])('report %s with a message for the user', async (_, answer, words) => {
    const { api } = apiWith(answer);
    expect(await api.call('session:send', { sessionId: 'codex:1', content: 'x' })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(words) },
    });
  });

  it('safe/http-key send nothing without a connection', async () => {
    const { api, requests } = apiWith(() => json({}), false);
    expect(await api.call('session:cancel', { sessionId: 'codex:1' })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('cannot be reached') },
    });
    expect(requests).toEqual([]);
  });

  it('safe/http-key report a key that has ended as a lost connection', async () => {
    const { api } = apiWith(() => json({ code: 'UNAUTHORIZED', message: 'A token is required.' }, 401));
    expect(await api.call('session:cancel', { sessionId: 'codex:1' })).toMatchObject({
      error: { message: expect.stringContaining('cannot be reached') },
    });
  });

  it('read the agents from the health check, with demo off by default', async () => {
    const providers = [{ cliType: 'codex', label: 'Codex', available: false, reason: 'Install it.' }];
    const { api } = apiWith(() => json({ ok: true, version: '1.0.0', providers }));
    expect(await api.health()).toEqual({ ok: true, value: { ok: true, version: '1.0.0', demo: false, providers } });
  });
});
