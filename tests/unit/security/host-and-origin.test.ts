import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOriginPolicy, reachableHost } from '../../../server/security/origin-policy.ts';
import { pageDirectory } from '../../support/server/page-directory.ts';
import { rawRequest, requestText } from '../../support/server/raw-request.ts';
import { createTestApp, TEST_NAME, type TestApp } from '../../support/server/test-app.ts';

/** Health and the page need no token, so only Host and Origin matter. */
async function statuses(app: TestApp, headers: readonly string[]): Promise<number[]> {
  const auth = `Authorization: Bearer ${app.token}`;
  const answers = await Promise.all([
    rawRequest(app.port, requestText('GET /api/health', headers)),
    rawRequest(app.port, requestText('GET /', headers)),
    rawRequest(app.port, requestText('GET /api/project', [...headers, auth])),
    rawRequest(app.port, requestText('GET /%', [...headers, auth])),
    rawRequest(app.port, requestText('GET /ws', headers, { upgrade: true })),
    rawRequest(app.port, requestText('GET /ws', [...headers, auth], { upgrade: true })),
  ]);
  return answers.map(({ status }) => status);
}

const forbidden = [403, 403, 403, 403, 403, 403];
const allowed = [200, 200, 200, 400, 101, 101];

describe('Host', () => {
  it.each(['127.0.0.1:PORT', 'localhost:PORT', '[::1]:PORT', `${TEST_NAME}:PORT`])('%s is allowed', async (host) => {
    const app = await createTestApp({ pagesDir: pageDirectory(), named: true });

    expect(await statuses(app, [`Host: ${host.replace('PORT', String(app.port))}`])).toEqual(allowed);
  });

  it.each([
    ['missing', []],
    ['empty', ['Host:']],
    ['another name', ['Host: evil.test:PORT']],
    ['another name without a port', ['Host: evil.test']],
    ['our name below another', ['Host: localhost.evil.test:PORT']],
    ['our name with a dot', ['Host: localhost.:PORT']],
    ['our name in capitals', ['Host: LOCALHOST:PORT']],
    ['our name without a port', ['Host: localhost']],
    ['another port', ['Host: localhost:1']],
    ['our port with a zero before it', ['Host: localhost:0PORT']],
    ['our port with more after it', ['Host: localhost:PORT0']],
    ['another loopback address', ['Host: 127.0.0.2:PORT']],
    ['a name of another data directory', ['Host: lb-abcdefghijkl.localhost:PORT']],
    ['a name below ours', [`Host: x.${TEST_NAME}:PORT`]],
    ['our name without localhost', ['Host: lb-testtesttest:PORT']],
    ['our name with a dot at the end', [`Host: ${TEST_NAME}.:PORT`]],
    ['our address in another notation', ['Host: 2130706433:PORT']],
    ['our address in hexadecimal', ['Host: 0x7f.0.0.1:PORT']],
    ['our address with a user', ['Host: localhost:PORT@evil.test']],
    ['any address', ['Host: 0.0.0.0:PORT']],
    ['a list', ['Host: localhost:PORT, evil.test']],
    ['ours twice', ['Host: localhost:PORT', 'Host: localhost:PORT']],
    ['ours and another', ['Host: localhost:PORT', 'Host: evil.test']],
    ['another and ours', ['Host: evil.test', 'HOST: localhost:PORT']],
    ['ours only in a forwarded header', ['Host: evil.test', 'X-Forwarded-Host: localhost:PORT']],
  ])('%s is 403 on every route and on the upgrade', async (_name, headers) => {
    const app = await createTestApp({ pagesDir: pageDirectory(), named: true });

    expect(
      await statuses(
        app,
        headers.map((header) => header.replace('PORT', String(app.port))),
      ),
    ).toEqual(forbidden);
  });

  it('safe/origin that is a name is refused by a server that has none', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });

    expect(await statuses(app, [`Host: ${TEST_NAME}:${app.port}`])).toEqual(forbidden);
  });

  it('of an absolute-form request does not override the header', async () => {
    const app = await createTestApp();

    const { status } = await rawRequest(
      app.port,
      requestText(`GET http://localhost:${app.port}/api/health`, ['Host: evil.test']),
    );

    expect(status).toBe(403);
  });
});

describe('Origin', () => {
  it('that is exactly ours is allowed, for each of our names', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });

    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const host = `${name}:${app.port}`;
      expect(await statuses(app, [`Host: ${host}`, `Origin: http://${host}`])).toEqual(allowed);
    }
  });

  it.each([
    'null',
    '',
    'http://evil.test',
    'http://evil.test:PORT',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'http://127.0.0.1:PORT.evil.test',
    'http://127.0.0.1.evil.test:PORT',
    'http://localhost:PORT@evil.test',
    'http://evil.test/http://127.0.0.1:PORT',
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1:PORT#',
    'http://127.0.0.1:PORT?',
    'http://127.0.0.1.:PORT',
    'http://127.0.0.1:PORT ,http://evil.test',
    'https://127.0.0.1:PORT',
    'ws://127.0.0.1:PORT',
    'HTTP://127.0.0.1:PORT',
    'http://LOCALHOST:PORT',
    'http://localhost:PORT',
    'http://[::1]:PORT',
    'file://',
    'chrome-extension://abcdefghijklmnop',
  ])('%j is 403 on every route and on the upgrade', async (origin) => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const at = (text: string) => text.replace('PORT', String(app.port));

    expect(await statuses(app, [at('Host: 127.0.0.1:PORT'), `Origin: ${at(origin)}`])).toEqual(forbidden);
  });

  it('that appears twice is 403', async () => {
    const app = await createTestApp({ pagesDir: pageDirectory() });
    const host = `127.0.0.1:${app.port}`;

    const headers = [`Host: ${host}`, `Origin: http://${host}`, `origin: http://${host}`];

    expect(await statuses(app, headers)).toEqual(forbidden);
  });

  it('no response allows another origin to read it', async () => {
    const app = await createTestApp();
    const host = `Host: 127.0.0.1:${app.port}`;

    for (const origin of ['http://evil.test', 'null', `http://127.0.0.1:${app.port}`]) {
      for (const line of ['OPTIONS /api/project', 'GET /api/health', 'GET /api/project']) {
        const asks = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization'];
        const answer = await rawRequest(app.port, requestText(line, [host, `Origin: ${origin}`, ...asks]));
        const names = [...answer.headers.keys()];
        expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });
});

describe('the policy', () => {
  const policy = createOriginPolicy({ host: '127.0.0.1', port: 3000, name: TEST_NAME });
  const hosts = ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000', `${TEST_NAME}:3000`];
  const edit = fc.record({
    at: fc.nat(40),
    remove: fc.nat(3),
    insert: fc.oneof(
      fc.constantFrom(
        '',
        '.',
        ':',
        '/',
        '@',
        '#',
        '?',
        '\\',
        '%',
        ' ',
        '\t',
        '\0',
        '.evil.test',
        'http://',
        'null',
        ',',
        '0',
      ),
      fc.string({ maxLength: 4 }),
    ),
    flipCase: fc.boolean(),
  });

  function mutate(
    text: string,
    edits: readonly { at: number; remove: number; insert: string; flipCase: boolean }[],
  ): string {
    return edits.reduce((current, { at, remove, insert, flipCase }) => {
      const place = at % (current.length + 1);
      const edited = current.slice(0, place) + insert + current.slice(place + remove);
      return flipCase ? edited.slice(0, place) + edited.slice(place).toUpperCase() : edited;
    }, text);
  }

  it('safe/origin accepts none of 10,000 mutations of our origin', () => {
    let different = 0;
    fc.assert(
      fc.property(fc.constantFrom(...hosts), fc.array(edit, { minLength: 1, maxLength: 4 }), (host, edits) => {
        const origin = mutate(`http://${host}`, edits);
        fc.pre(origin !== `http://${host}`);
        different += 1;
        return !policy.allows(['Host', host, 'Origin', origin]);
      }),
      { numRuns: 10_000 },
    );
    expect(different).toBe(10_000);
  }, 30_000);

  it('safe/origin accepts none of 10,000 mutations of our host that is not one of our hosts', () => {
    fc.assert(
      fc.property(fc.constantFrom(...hosts), fc.array(edit, { minLength: 1, maxLength: 4 }), (host, edits) => {
        const other = mutate(host, edits);
        fc.pre(!hosts.includes(other));
        return !policy.allows(['Host', other]) && !policy.allows(['Host', other, 'Origin', `http://${other}`]);
      }),
      { numRuns: 10_000 },
    );
  }, 30_000);

  it('allows the configured host and its origin in addition to the loopback names', () => {
    const asked = createOriginPolicy({ host: 'Box.local', port: 3000 });

    expect(asked.allows(['Host', 'box.local:3000', 'Origin', 'http://box.local:3000'])).toBe(true);
    expect(asked.allows(['Host', 'localhost:3000'])).toBe(true);
    expect(asked.allows(['Host', 'other.local:3000'])).toBe(false);
    expect(createOriginPolicy({ host: '::1', port: 3000 }).allows(['Host', '[::1]:3000'])).toBe(true);
  });

  it('allows only loopback names when listening on every interface, including the printed one', () => {
    for (const [host, shown] of [
      ['0.0.0.0', '127.0.0.1'],
      ['::', '[::1]'],
    ] as const) {
      const wildcard = createOriginPolicy({ host, port: 3000 });
      expect(reachableHost(host)).toBe(shown);
      expect(wildcard.allows(['Host', `${shown}:3000`, 'Origin', `http://${shown}:3000`])).toBe(true);
      expect(wildcard.allows(['Host', `${host}:3000`])).toBe(false);
      expect(wildcard.allows(['Host', '192.168.0.7:3000'])).toBe(false);
    }
  });

  it('accepts a host without a port for port 80', () => {
    const policy80 = createOriginPolicy({ host: '127.0.0.1', port: 80 });

    expect(policy80.allows(['Host', 'localhost', 'Origin', 'http://localhost'])).toBe(true);
    expect(policy80.allows(['Host', 'localhost:80'])).toBe(true);
    expect(policy80.allows(['Host', 'localhost:8080'])).toBe(false);
  });
});
