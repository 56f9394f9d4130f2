import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launchChromium } from '../support/browser/chromium.ts';
import { pageDirectory } from '../support/server/page-directory.ts';
import { createTestApp, type TestApp } from '../support/server/test-app.ts';

/** A foreign origin that serves a page under any host name. */
async function startForeignServer(): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Elsewhere</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function openPage(): Promise<Page> {
  const browser = await launchChromium('--host-resolver-rules=MAP evil.test 127.0.0.1');
  onTestFinished(() => browser.close());
  return browser.newPage();
}

/** Tries everything that a page can do with the token, and returns the results. */
function attack(page: Page, { port, token }: TestApp) {
  return page.evaluate(
    async ({ host, secret }) => {
      const base = `http://${host}`;
      const readable = async (run: () => Promise<Response>) =>
        run().then(
          async (response) =>
            response.type === 'opaque' ? 'opaque' : `read ${response.status} ${await response.text()}`,
          () => 'failed',
        );
      const bearer = { authorization: `Bearer ${secret}` };
      const body = '{"path":"/tmp"}';
      const socket = await new Promise<string>((resolve) => {
        const ws = new WebSocket(`ws://${host}/ws`);
        ws.onopen = () => ws.send(JSON.stringify({ type: 'auth', token: secret }));
        ws.onmessage = (event) => resolve(String(event.data));
        ws.onclose = (event) => resolve(`closed ${event.code}`);
      });
      const frame = document.createElement('iframe');
      const framed = new Promise<string>((resolve) => {
        frame.onload = () => {
          try {
            resolve(`framed ${frame.contentDocument?.title ?? 'nothing'}`);
          } catch {
            resolve('hidden');
          }
        };
      });
      frame.src = `${base}/`;
      document.body.append(frame);
      return {
        socket,
        health: await readable(() => fetch(`${base}/api/health`)),
        opaque: await readable(() => fetch(`${base}/api/health`, { mode: 'no-cors' })),
        list: await readable(() => fetch(`${base}/api/project`, { headers: bearer })),
        plainPost: await readable(() => fetch(`${base}/api/project`, { method: 'POST', mode: 'no-cors', body })),
        form: await readable(() =>
          fetch(`${base}/api/project`, { method: 'POST', body: new URLSearchParams({ body }) }),
        ),
        script: await readable(() => fetch(`${base}/assets/app-1234.js`, { mode: 'no-cors' })),
        frame: await framed,
      };
    },
    { host: `127.0.0.1:${port}`, secret: token },
  );
}

describe('in Chromium, a page', () => {
  it.each([
    ['on another port of the same address', 'http://127.0.0.1:OTHER/'],
    ['on another port under a loopback name', 'http://localhost:OTHER/'],
    ['of another origin', 'http://evil.test:OTHER/'],
  ])('%s can neither open the socket nor read a response', async (_name, address) => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const upgrades: (string | undefined)[] = [];
    app.app.server.server.on('upgrade', ({ headers }) => upgrades.push(headers.origin));
    const page = await openPage();
    const url = address.replace('OTHER', String(await startForeignServer()));
    await page.goto(url);

    const result = await attack(page, app);

    expect(result).toEqual({
      socket: 'closed 1006',
      health: 'failed',
      opaque: 'failed',
      list: 'failed',
      plainPost: 'failed',
      form: 'failed',
      script: 'failed',
      frame: 'framed nothing',
    });
    // The server refused the request; it is not that the browser did not try.
    expect(upgrades).toEqual([url.slice(0, -1)]);
    expect(app.stores.projects.listProjects()).toEqual([]);
    expect(app.providers.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('whose host name was rebound to our address gets nothing, not even its own page', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const page = await openPage();

    const response = await page.goto(`http://evil.test:${app.port}/`);

    expect(response?.status()).toBe(403);
    expect(await page.title()).toBe('');
    const health = await page.evaluate(async () => (await fetch('/api/health')).status);
    expect(health).toBe(403);
  });

  it('without an origin, in a sandboxed frame, can neither open the socket nor read a response', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${await startForeignServer()}/`);
    await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<title>null</title>"></iframe>');
    const frame = page.frames()[1];

    const result = await frame?.evaluate(async (host) => {
      const read = await fetch(`http://${host}/api/health`).then(
        () => 'read',
        () => 'failed',
      );
      const ws = new WebSocket(`ws://${host}/ws`);
      const socket = await new Promise((resolve) => {
        ws.onopen = () => resolve('open');
        ws.onclose = ({ code }) => resolve(`closed ${code}`);
      });
      return { origin: self.origin, read, socket };
    }, `127.0.0.1:${app.port}`);

    expect(result).toEqual({ origin: 'null', read: 'failed', socket: 'closed 1006' });
  });

  it('of our own origin can do all of this, so the others fail because of their origin', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const page = await openPage();
    await page.goto(`${app.url}/`);

    const result = await attack(page, app);

    expect(result).toMatchObject({
      socket: '{"type":"auth:ok"}',
      health: expect.stringMatching(/^read 200 {"ok":true/),
      list: 'read 200 {"projects":[]}',
      plainPost: expect.stringMatching(/^read 401/),
      script: 'read 200 export {};',
      frame: 'framed Test page',
    });
  });
});
