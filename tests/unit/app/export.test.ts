import { describe, expect, it } from 'vitest';
import { exportedSessionSchema } from '../../../server/export/exported-session.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { variedConversation } from '../../support/agents/varied-conversation.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { createTestApp, type TestApp } from '../../support/server/test-app.ts';

const addressOf = (sessionId: string, query = 'format=json') =>
  `/api/session/${encodeURIComponent(sessionId)}/export?${query}`;

/** A session with a past conversation, which is not in memory. */
async function pastSession(app: TestApp, turns: number) {
  const sessionId = await app.createSession();
  await app.app.service.kill({ sessionId });
  const { entries } = variedConversation(sessionId, turns, createRandom(turns));
  app.agent.remember(sessionId, entries);
  return { sessionId, entries };
}

const idsOf = (entries: readonly UpsertObject[]) => entries.map(({ itemId }) => itemId);

describe('keep/export a session', () => {
  it.each([
    ['md', 'text/markdown; charset=utf-8', /^# Über “a\\\\\/b”/u],
    ['html', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['json', 'application/json; charset=utf-8', /^\{"format":"liminal-builder-session","version":1,/],
  ])('is a file over HTTP, whose name is the title: %s', async (format, mediaType, start) => {
    const app = await createTestApp();
    const { sessionId } = await pastSession(app, 2);
    await app.app.service.manage.rename({ sessionId, title: 'Über “a\\/b”' });

    const answer = await app.request('GET', addressOf(sessionId, `format=${format}`));

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(mediaType);
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="_ber _a b_.${format}"; filename*=UTF-8''%C3%9Cber%20%E2%80%9Ca%20b%E2%80%9D.${format}`,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.text).toMatch(start);
  });

  it('is the same file on the socket, as one frame', async () => {
    const app = await createTestApp();
    const { sessionId } = await pastSession(app, 3);
    const window = await app.connect();

    const answer = await window.ask('session:export', { sessionId, format: 'md' });
    const { text } = await app.request('GET', addressOf(sessionId, 'format=md'));

    expect(answer).toMatchObject({ type: 'session:export', sessionId, fileName: 'New Session.md' });
    const withoutTime = (content: unknown) => String(content).replace(/Exported: \S+/, '');
    expect(withoutTime(Reflect.get(answer, 'content'))).toBe(withoutTime(text));
  });

  it('has all pages, and is refused on the socket if it is too long for a frame', async () => {
    const app = await createTestApp();
    const { sessionId, entries } = await pastSession(app, 5_000);
    const window = await app.connect();

    const { text } = await app.request('GET', addressOf(sessionId));
    expect(idsOf(exportedSessionSchema.parse(JSON.parse(text)).entries)).toEqual(idsOf(entries));

    expect(await window.ask('session:export', { sessionId, format: 'json' })).toMatchObject({
      type: 'error',
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('over HTTP'),
    });
  });

  it('can be exported when it is archived, and stays archived', async () => {
    const app = await createTestApp();
    const { sessionId, entries } = await pastSession(app, 2);
    await app.app.service.archive({ sessionId });

    const { status, text } = await app.request('GET', addressOf(sessionId));

    expect(status).toBe(200);
    expect(exportedSessionSchema.parse(JSON.parse(text)).entries).toHaveLength(entries.length);
    expect(app.stores.sessions.get(sessionId)?.archived).toBe(true);
  });

  it('leaves memory afterwards, also where the client goes away in the middle', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock, limits: { evictAfterMs: 1_000 } });
    const { sessionId } = await pastSession(app, 5_000);
    const state = async () => (await app.app.service.status({ sessionId })).state;

    const aborter = new AbortController();
    const response = await fetch(`${app.url}${addressOf(sessionId)}`, {
      headers: { authorization: `Bearer ${app.token}` },
      signal: aborter.signal,
    });
    await response.body?.getReader().read();
    aborter.abort();
    await app.request('HEAD', addressOf(sessionId));

    await expect
      .poll(async () => {
        clock.advance(1_000);
        return state();
      })
      .toBe('closed');
  });

  it.each([
    ['without a format', '', 'INVALID_MESSAGE', 400],
    ['in an unknown format', 'format=pdf', 'INVALID_MESSAGE', 400],
    ['in two formats', 'format=md&format=html', 'INVALID_MESSAGE', 400],
    ['with another field', 'format=md&name=x', 'INVALID_MESSAGE', 400],
    ['with an id in the query', 'format=md&sessionId=claude-code:s1', 'INVALID_MESSAGE', 400],
  ])('is not exported %s', async (_how, query, code, status) => {
    const app = await createTestApp();
    const { sessionId } = await pastSession(app, 1);

    expect(await app.request('GET', addressOf(sessionId, query))).toMatchObject({ status, body: { code } });
  });

  it('is not found if it is unknown or its conversation is gone, and no file begins', async () => {
    const app = await createTestApp();
    const { sessionId } = await pastSession(app, 1);
    app.agent.forget(sessionId);

    for (const id of [sessionId, 'claude-code:none', 'nonsense']) {
      const { status, body, headers } = await app.request('GET', addressOf(id));
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'SESSION_NOT_FOUND' });
      expect(headers.get('content-disposition')).toBeNull();
    }
  });
});

describe('keep/archived-list the list of a project', () => {
  it('over HTTP has archived sessions with ?archived=1', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const [kept, archived] = [await app.createSession({ projectId }), await app.createSession({ projectId })];
    await app.app.service.archive({ sessionId: archived });
    const list = async (query: string) =>
      (await app.request('GET', `/api/session/list?projectId=${projectId}${query}`)).body.sessions?.map(({ id }) => id);

    expect(await list('')).toEqual([kept]);
    expect(await list('&archived=1')).toEqual([archived]);
    expect(await list('&archived=true')).toEqual([archived]);
    expect(await app.request('GET', `/api/session/list?projectId=${projectId}&archived=yes`)).toMatchObject({
      status: 400,
    });
  });
});
