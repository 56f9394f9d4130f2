import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRequestKeys } from '../../../server/security/request-keys.ts';
import { openPageClient } from '../../support/server/page-client.ts';
import { rawRequest, requestText } from '../../support/server/raw-request.ts';
import { createTestApp } from '../../support/server/test-app.ts';

async function createPage() {
  const app = await createTestApp();
  const page = await openPageClient({
    by: 'key',
    secret: app.credentials.pageKey(app.url),
    socketUrl: app.socketUrl,
  });
  const request = (method: string, path: string, authorization: string, body?: string) =>
    app.request(method, path, { token: null, headers: { authorization }, ...(body !== undefined && { body }) });
  return { app, page, request };
}

describe('safe/http-key a request of a page', () => {
  it('is accepted with a signature for method, path, query and body', async () => {
    const { app, page, request } = await createPage();
    const path = join(app.dataDir, 'grüße');
    mkdirSync(path);
    const body = JSON.stringify({ path });
    const header = page.sign({ method: 'POST', path: '/api/project', body });

    expect(await request('POST', '/api/project', header, body)).toMatchObject({ status: 201 });
    const listing = '/api/directories?prefix=%7E%2F';
    expect((await request('GET', listing, page.sign({ method: 'GET', path: listing }))).status).toBe(200);
  });

  it.each([
    ['another method', { method: 'DELETE' }],
    ['another path', { path: '/api/session/list' }],
    ['another query', { path: '/api/project?x=1' }],
    ['another body', { body: '{"path":"/tmp"}' }],
  ])('is 401 with the signature of %s', async (_name, change) => {
    const { page, request, app } = await createPage();
    const header = page.sign({ method: 'POST', path: '/api/project', body: '{"path":"/"}', ...change });

    expect(await request('POST', '/api/project', header, '{"path":"/"}')).toMatchObject({ status: 401 });
    expect(app.stores.projects.listProjects()).toEqual([]);
  });

  it('is 401 if a body is missing or added', async () => {
    const { app, page, request } = await createPage();
    const { id } = await app.addProject();
    const path = `/api/project/${id}`;

    const missing = page.sign({ method: 'DELETE', path, body: '{}' });
    expect((await request('DELETE', path, missing)).status).toBe(401);
    const added = page.sign({ method: 'POST', path: '/api/project' });
    expect((await request('POST', '/api/project', added, '{"path":"/"}')).status).toBe(401);
    expect(app.stores.projects.listProjects()).toHaveLength(1);
  });

  it('is 401 when sent again', async () => {
    const { page, request } = await createPage();
    const header = page.sign({ method: 'GET', path: '/api/project' });

    expect((await request('GET', '/api/project', header)).status).toBe(200);
    expect((await request('GET', '/api/project', header)).status).toBe(401);
  });

  it('may overtake others', async () => {
    const { page, request } = await createPage();
    for (const counter of [5, 3, 1000, 4]) {
      const header = page.sign({ method: 'GET', path: '/api/project', counter });
      expect((await request('GET', '/api/project', header)).status).toBe(200);
    }
  });

  it('is 401 once its socket is closed, and does not work with the nonce of a handshake that failed', async () => {
    const { page, request } = await createPage();
    const before = page.sign({ method: 'GET', path: '/api/project' });
    await page.socket.close();

    await expect.poll(async () => (await request('GET', '/api/project', before)).status).toBe(401);
  });

  it.each([
    ['too few parts', 'Liminal a b c'],
    ['a counter that is not a number', `Liminal ${'A'.repeat(43)} x ${'A'.repeat(43)} ${'A'.repeat(43)}`],
    ['an unknown handshake', `Liminal ${'A'.repeat(43)} 1 ${'A'.repeat(43)} ${'A'.repeat(43)}`],
    ['a token', 'Liminal test-token-0123456789abcdef'],
  ])('is 401 with %s', async (_name, header) => {
    const { request } = await createPage();
    expect((await request('GET', '/api/project', header)).status).toBe(401);
  });

  it('cannot open a socket with its signature', async () => {
    const { app, page } = await createPage();
    const headers = [`Host: 127.0.0.1:${app.port}`, `Authorization: ${page.sign({ method: 'GET', path: '/ws' })}`];
    expect((await rawRequest(app.port, requestText('GET /ws', headers, { upgrade: true }))).status).toBe(401);
  });
});

describe('safe/http-key counters', () => {
  it('are taken once each and not below a window, and do not pile up', () => {
    const keys = createRequestKeys();
    const key = Buffer.alloc(32, 1);
    keys.add('A'.repeat(43), key);
    // Counters are checked after the signature, so use a page's own code for it.
    const header = (counter: number) => signed(key, counter);
    const take = (counter: number) => keys.verify({ method: 'GET', path: '/', header: header(counter) }) !== undefined;

    expect([1, 2, 2, 4000, 2976, 2977, 2977, 1].map(take)).toEqual([
      true,
      true,
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(take(0)).toBe(false);
    expect(take(2 ** 53)).toBe(false);
    for (let counter = 4001; counter < 9000; counter += 1) expect(take(counter)).toBe(true);
    expect(take(8999)).toBe(false);
  });
});

function signed(key: Buffer, counter: number): string {
  const bodyHash = 'A'.repeat(43);
  const text = JSON.stringify(['liminal-builder/1', 'request', 'GET', '/', counter, bodyHash]);
  const mac = createHmac('sha256', key).update(text).digest('base64url');
  return `Liminal ${'A'.repeat(43)} ${counter} ${bodyHash} ${mac}`;
}
