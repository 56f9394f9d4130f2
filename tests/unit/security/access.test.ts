import { describe, expect, it } from 'vitest';
import { commandNames, commands } from '../../../shared/commands.ts';
import { pageDirectory } from '../../support/server/page-directory.ts';
import { rawRequest, requestText } from '../../support/server/raw-request.ts';
import { openSocket } from '../../support/server/socket-client.ts';
import { createTestApp } from '../../support/server/test-app.ts';
import { registeredRoutes } from './registered-routes.ts';

/** What needs no token: the health and the pages, which contain no secrets. */
const openPaths = ['/api/health', '/', '/index.html', '/assets/app-1234.js'];

describe('without a token', () => {
  it('every registered route answers 401 and starts no process, except health and the pages', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const routes = registeredRoutes(app.app.server);
    const guarded = routes.filter(({ path }) => !openPaths.includes(path));

    // The list contains every command, so reading the router works.
    for (const { http } of commandNames.map((name) => commands[name])) {
      expect(guarded).toContainEqual({ method: http.method, path: http.path });
    }
    const tokens = [null, 'wrong-token-0123456789', `${app.token}x`, app.token.slice(1), app.token.toUpperCase()];
    for (const { method, path } of guarded) {
      const address = path.replace(':id', 'claude-code%3As1');
      const answers = await Promise.all(tokens.map((token) => app.request(method, address, { token })));
      expect([method, path, ...answers.map(({ status }) => status)]).toEqual([method, path, 401, 401, 401, 401, 401]);
    }
    expect(app.providers.flatMap(({ calls }) => calls)).toEqual([]);
    const open = routes.filter(({ path }) => openPaths.includes(path));
    expect(new Set(open.map(({ path }) => path))).toEqual(new Set(openPaths));
    for (const { method, path } of open) expect((await app.request(method, path, { token: null })).status).toBe(200);
  }, 30_000);

  it('an unknown path is 401 below /api in every spelling, and 404 elsewhere', async () => {
    const app = await createTestApp();

    for (const path of ['/api', '/api/', '/api/nothing', '//api/nothing', '/API/nothing', '/api/health/more']) {
      expect((await app.request('GET', path, { token: null })).status, path).toBe(401);
    }
    expect((await app.request('GET', '/nothing', { token: null })).status).toBe(404);
    expect((await app.request('GET', '/api/nothing')).body.code).toBe('NOT_FOUND');
  });

  it.each([
    ['another scheme', (token: string) => `Basic ${token}`],
    ['no scheme', (token: string) => token],
    ['two tokens', (token: string) => `Bearer ${token} ${token}`],
    ['a token with more after it', (token: string) => `Bearer ${token},x`],
    ['nothing after the scheme', () => 'Bearer '],
  ])('a header with %s is 401', async (_name, header) => {
    const app = await createTestApp();

    const answer = await app.request('GET', '/api/project', {
      token: null,
      headers: { authorization: header(app.token) },
    });

    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });

  it('safe/service-worker no file is served as the script of a service worker', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });

    for (const path of ['/', '/assets/app-1234.js', '/api/health']) {
      const answer = await app.request('GET', path, { headers: { 'service-worker': 'script' } });
      expect(answer.status, path).toBe(404);
    }
  });

  it('a token in the URL or in a cookie is ignored', async () => {
    const app = await createTestApp();

    const answer = await app.request('GET', `/api/project?token=${app.token}`, {
      token: null,
      headers: { cookie: `token=${app.token}` },
    });

    expect(answer.status).toBe(401);
  });

  it('an upgrade with a wrong token in its headers is 401, and one to another path is rejected', async () => {
    const app = await createTestApp();
    const host = `Host: 127.0.0.1:${app.port}`;
    const wrong = [host, 'Authorization: Bearer wrong-token-0123456789'];

    expect((await rawRequest(app.port, requestText('GET /ws', wrong, { upgrade: true }))).status).toBe(401);
    for (const path of ['/api/project', '/api/nothing']) {
      expect((await rawRequest(app.port, requestText(`GET ${path}`, [host], { upgrade: true }))).status).toBe(401);
    }
    const elsewhere = await rawRequest(app.port, requestText('GET /elsewhere', [host], { upgrade: true }));
    expect(elsewhere.status).toBe(404);
  });

  it('an unauthenticated socket cannot do anything: each command closes it with 4401 and starts no process', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();

    for (const name of commandNames) {
      const socket = await openSocket(app.socketUrl);
      socket.send({ type: name, projectId, cliType: 'codex', sessionId: 'codex:s1', path: '/', content: 'x' });
      expect(await socket.closed).toMatchObject({ code: 4401 });
      expect(socket.frames).toEqual([]);
    }
    expect(app.providers.flatMap(({ calls }) => calls)).toEqual([]);
  });
});
