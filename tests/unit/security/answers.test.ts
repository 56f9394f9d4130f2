import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { securityHeaders } from '../../../server/security/headers.ts';
import { pageDirectory } from '../../support/server/page-directory.ts';
import { rawRequest, requestText } from '../../support/server/raw-request.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const auth = 'Authorization: Bearer TOKEN';
const host = 'Host: 127.0.0.1:PORT';
const json = 'Content-Type: application/json';

/** One request for every kind of response. */
const requests: readonly (readonly [string, number, string])[] = [
  ['a page', 200, requestText('GET /', [host])],
  ['a script', 200, requestText('GET /assets/app-1234.js', [host])],
  [
    'a page that has not changed',
    304,
    requestText('GET /', [host, 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT']),
  ],
  ['the head of a page', 200, requestText('HEAD /', [host])],
  ['the health', 200, requestText('GET /api/health', [host])],
  ['a command', 200, requestText('GET /api/project', [host, auth])],
  ['no token', 401, requestText('GET /api/project', [host])],
  ['a wrong host', 403, requestText('GET /', ['Host: evil.test'])],
  ['a wrong origin', 403, requestText('POST /api/project', [host, auth, 'Origin: http://evil.test'])],
  ['a preflight', 401, requestText('OPTIONS /api/project', [host])],
  ['nothing there', 404, requestText('GET /nothing', [host])],
  ['an unknown path below /api', 404, requestText('PUT /api/project', [host, auth])],
  ['a path with dot segments', 404, requestText('GET /assets/../../package.json', [host])],
  ['a path with encoded dot segments', 404, requestText('GET /assets/%2e%2e%2f%2e%2e%2fpackage.json', [host])],
  ['a malformed URL', 400, requestText('GET /%', [host, auth])],
  ['an id that is too long', 400, requestText(`GET /api/session/${'x'.repeat(600)}/status`, [host, auth])],
  [
    'a body that is not JSON',
    400,
    requestText('POST /api/project', [host, auth, json, 'Content-Length: 1'], { body: '{' }),
  ],
  ['a body of another type', 400, requestText('POST /api/project', [host, auth, 'Content-Length: 1'], { body: '{' })],
  ['a body that is too large', 413, requestText('POST /api/project', [host, auth, json, 'Content-Length: 9999999'])],
  ['a request that is not HTTP', 400, 'nonsense\r\n\r\n'],
  ['a header that is too large', 400, requestText('GET /', [host, `X-Large: ${'x'.repeat(80_000)}`])],
  ['two lengths', 400, requestText('POST /api/project', [host, auth, 'Content-Length: 1', 'Content-Length: 2'])],
  ['an upgrade from a wrong origin', 403, requestText('GET /ws', [host, 'Origin: null'], { upgrade: true })],
  ['an upgrade with a wrong token', 401, requestText('GET /ws', [host, 'Authorization: Bearer no'], { upgrade: true })],
  ['an upgrade to an unknown path', 404, requestText('GET /nowhere', [host], { upgrade: true })],
  ['an upgrade without a key', 400, requestText('GET /ws', [host, 'Connection: Upgrade', 'Upgrade: websocket'])],
  ['an upgrade to something else', 400, requestText('GET /ws', [host, 'Connection: Upgrade', 'Upgrade: h2c'])],
  ['the socket without an upgrade', 401, requestText('GET /ws', [host])],
];

describe('every response has the security headers', () => {
  it.each(requests)('%s (%i)', async (_name, status, text) => {
    const app = await createTestApp({ pagesDir: pageDirectory() });

    const answer = await rawRequest(app.port, text.replaceAll('PORT', String(app.port)).replaceAll('TOKEN', app.token));

    expect(answer.status).toBe(status);
    for (const [name, value] of Object.entries(securityHeaders)) expect(answer.headers.get(name)).toBe(value);
    expect(answer.body).not.toContain('node_modules');
    if (status >= 400 && !text.startsWith('HEAD')) {
      expect(JSON.parse(answer.body)).toMatchObject({
        code: expect.any(String),
        message: expect.stringMatching(/../),
      });
    }
  });

  it('the policy allows no inline script, no eval, no foreign image, frame or connection', () => {
    const policy = new Map(
      securityHeaders['content-security-policy']?.split('; ').map((directive): [string, string] => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values.join(' ')];
      }),
    );

    expect(policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src')).toBe("'self'");
    expect(policy.get('style-src')).toBe("'self'");
    expect(policy.get('img-src')).toBe("'self' data:");
    expect(policy.get('connect-src')).toBe("'self'");
    expect(policy.get('frame-ancestors')).toBe("'self'");
    expect(policy.get('base-uri')).toBe("'none'");
    expect(policy.get('form-action')).toBe("'none'");
    expect(policy.get('require-trusted-types-for')).toBe("'script'");
    expect(securityHeaders).toMatchObject({
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
    });
  });

  it('a page is revalidated each time, a file with a hash in its name never', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });

    expect((await app.request('GET', '/')).headers.get('cache-control')).toBe('no-cache');
    expect((await app.request('GET', '/assets/app-1234.js')).headers.get('cache-control')).toContain('immutable');
  });

  it('a request that is never finished is aborted', async () => {
    const app = await createTestApp();
    const { requestTimeout, headersTimeout } = app.app.server.server;

    expect(requestTimeout).toBe(30_000);
    expect(headersTimeout).toBeLessThanOrEqual(60_000);
    expect(headersTimeout).toBeGreaterThan(0);
  });
});

describe('a rejected upgrade', () => {
  it.each([
    ['a wrong origin', requestText('GET /ws', [host, 'Origin: null'], { upgrade: true })],
    ['a wrong token', requestText('GET /ws', [host, 'Authorization: Bearer no'], { upgrade: true })],
    ['an unknown path', requestText('GET /nowhere', [host], { upgrade: true })],
    ['a malformed URL', requestText('GET /%', [host], { upgrade: true })],
    ['no key', requestText('GET /ws', [host, 'Connection: Upgrade', 'Upgrade: websocket'])],
  ])('for %s is closed by the server, so that it cannot be kept open', async (_name, text) => {
    const app = await createTestApp();
    const socket = connect(app.port, '127.0.0.1');
    const hungUp = new Promise((resolve) => socket.once('end', resolve));

    socket.resume();
    socket.write(text.replaceAll('PORT', String(app.port)));

    await hungUp;
  });
});

describe('an unexpected error', () => {
  it('is 500 without its message over HTTP and the socket, and is logged without the token', async () => {
    const app = await createTestApp();
    const secret = app.token;
    const projectId = (await app.addProject()).id;
    const failure = () =>
      Object.assign(new Error(`no use of ${secret}`, { cause: new TypeError(`Bearer ${secret}`) }), {
        request: { headers: { authorization: `Bearer ${secret}` }, url: `http://x/#token=${secret}` },
        list: [secret, { [secret]: secret }],
      });
    const sessionId = await app.createSession({ projectId });
    const window = await app.connect();

    app.agent.failNext('create', failure());
    const http = await app.request('POST', '/api/session/create', { body: { projectId, cliType: 'claude-code' } });
    app.agent.failNext('send', failure());
    const socket = await window.ask('session:send', { sessionId, content: secret });
    app.agent.failNext('cancel', failure());
    const cancel = await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/cancel`);

    expect(http.status).toBe(500);
    expect(cancel.status).toBe(500);
    for (const body of [http.body, cancel.body, socket]) {
      expect(body).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringMatching(/log/) });
      expect(JSON.stringify(body)).not.toContain('no use of');
    }
    expect(app.logLines).toHaveLength(3);
    for (const line of app.logLines) {
      expect(line).toContain('no use of [token]');
      expect(line).not.toContain(secret);
    }
  });
});
