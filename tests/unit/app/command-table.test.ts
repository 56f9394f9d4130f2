import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandName, commandNames, commands } from '../../../shared/commands.ts';
import { conversation } from '../../support/agents/scripted-history.ts';
import { keepOne } from '../../support/keep-one.ts';
import type { Frame } from '../../support/server/socket-client.ts';
import { createTestApp, type TestApp } from '../../support/server/test-app.ts';

/** The preparation and input with which each command succeeds. A missing command does not compile. */
const inputs: { [N in CommandName]: (app: TestApp) => Promise<Record<string, string | boolean>> } = {
  'project:list': async () => ({}),
  'project:add': async (app) => ({ path: freshDirectory(app) }),
  'project:remove': async (app) => ({ projectId: (await app.addProject()).id }),
  'project:look': async (app) => ({ projectId: (await app.addProject()).id }),
  'project:trust': async (app) => ({ projectId: (await app.addProject()).id, trusted: true }),
  'session:list': async (app) => ({ projectId: (await app.addProject()).id }),
  'session:list-all': async () => ({}),
  'session:create': async (app) => ({ projectId: (await app.addProject()).id, cliType: 'codex' }),
  'session:open': aSession,
  'session:items': aPastSession,
  'session:status': aSession,
  'session:warm': aSession,
  'session:send': async (app) => ({ ...(await aSession(app)), content: 'hello' }),
  'session:cancel': aSession,
  'session:stop-background': aSession,
  'session:kill': aSession,
  'session:archive': aSession,
  'session:unarchive': aSession,
  'session:rename': async (app) => ({ ...(await aSession(app)), title: 'A title' }),
  'session:pin': async (app) => ({ ...(await aSession(app)), pinned: true }),
  'session:delete': aSession,
  'session:export': async (app) => ({ ...(await aSession(app)), format: 'json' }),
  'session:put-back': aKeptSession,
  'keep:status': async () => ({}),
  'session:reconnect': aSession,
  'session:fork': aSession,
  'directory:with-sessions': async () => ({}),
  'directory:complete': async () => ({ prefix: '/' }),
};

async function aSession(app: TestApp): Promise<Record<string, string>> {
  return { sessionId: await app.createSession() };
}

async function aPastSession(app: TestApp): Promise<Record<string, string>> {
  const sessionId = await app.createSession();
  const history = conversation(sessionId, ['First?', 'Yes.']);
  for (const upsert of history) app.agent.emitUpsert(upsert);
  return { sessionId, before: history[1]?.itemId ?? '' };
}

async function aKeptSession(app: TestApp): Promise<Record<string, string>> {
  const sessionId = await app.createSession();
  await keepOne(app.dataDir, sessionId, 'sessions/a.jsonl', 'Hello\n');
  return { sessionId };
}

function freshDirectory(app: TestApp): string {
  const path = join(app.dataDir, `fresh-${app.stores.projects.listProjects().length}`);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The type of the reply or announcement of a command, without events about sessions and agents. */
const isAbout = (name: CommandName) => (frame: Frame) => frame.type === commands[name].reply;

describe.each(commandNames)('%s', (name) => {
  it('is answered once, to the sender, with the request id and the reply type of the table', async () => {
    const app = await createTestApp();
    const input = await inputs[name](app);
    const asker = await app.connect();
    const other = await app.connect();

    const answer = await asker.ask(name, input);
    await Promise.all([asker.settled(), other.settled()]);

    expect(answer.type).toBe(commands[name].reply);
    if (name !== 'session:open') commands[name].output.parse(answer);
    const about = isAbout(name);
    expect(asker.frames.filter((frame) => frame.requestId === answer.requestId)).toEqual([answer]);
    // `settled` itself requests the list of projects.
    expect(asker.frames.filter(about)).toHaveLength(name === 'project:list' ? 2 : 1);
    const announced = 'announced' in commands[name];
    expect(other.frames.filter((frame) => about(frame) && frame.requestId === undefined)).toHaveLength(
      announced ? 1 : 0,
    );
  });

  it('is answered over HTTP with the status of the table and announced once to every window', async () => {
    const app = await createTestApp();
    const input = await inputs[name](app);
    const windows = [await app.connect(), await app.connect()];
    const { method, path, status } = commands[name].http;
    const { sessionId, projectId, ...others } = input;
    const id = String(sessionId ?? projectId ?? '');
    const takesId = path.includes(':id');
    const rest = takesId ? others : input;
    const address = path.replace(':id', encodeURIComponent(id));

    const answer =
      method === 'GET'
        ? await app.request(
            method,
            `${address}?${new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]))}`,
          )
        : await app.request(method, address, { body: rest });

    expect(answer.status).toBe(status);
    // The body of a download is the file itself.
    if (!('download' in commands[name])) commands[name].output.parse(answer.body);
    for (const window of windows) {
      await window.settled();
      const announced = 'announced' in commands[name];
      const announcements = window.frames.filter((frame) => isAbout(name)(frame) && frame.requestId === undefined);
      expect(announcements).toHaveLength(announced ? 1 : 0);
    }
  });

  it('repeats the request id when it fails', async () => {
    const app = await createTestApp();
    const window = await app.connect();

    const answer = await window.ask(name, { unknownField: true });

    expect(answer).toMatchObject({ type: 'error', requestId: expect.stringMatching(/^request-/) });
  });
});

describe('HTTP routes', () => {
  it('reject an id given twice, bodies that are not objects, and other media types', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const address = `/api/session/${encodeURIComponent(sessionId)}/cancel`;

    expect(await app.request('POST', address, { body: { sessionId } })).toMatchObject({ status: 400 });
    for (const body of ['[]', '7', '"text"', 'true', '{', '{"a":}']) {
      expect(await app.request('POST', address, { body })).toMatchObject({
        status: 400,
        body: { code: 'INVALID_MESSAGE' },
      });
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await app.request('POST', address, { body: '{}', headers: { 'content-type': type } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_MESSAGE' } });
    }
    expect(await app.request('POST', address, { body: '' })).toMatchObject({ status: 200 });
  });

  it('reject a body over 1 MiB', async () => {
    const app = await createTestApp();

    const answer = await app.request('POST', '/api/project', { body: { path: 'x'.repeat(1024 * 1024) } });

    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  it('report the health without a token: version and available agents', async () => {
    const app = await createTestApp();

    const { status, body } = await app.request('GET', '/api/health', { token: null });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      version: '0.0.0-test',
      providers: [
        { cliType: 'claude-code', available: true },
        { cliType: 'codex', available: true },
      ],
    });
  });
});
