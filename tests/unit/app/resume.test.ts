import { describe, expect, it } from 'vitest';
import { commands } from '../../../shared/commands.ts';
import { wordsOf } from '../../support/agents/scripted-answers.ts';
import type { Frame, SocketClient } from '../../support/server/socket-client.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../../support/server/test-app.ts';

const eventsOf = (window: SocketClient): Frame[] => window.frames.filter(({ seq }) => seq !== undefined);

/** A session with a window of each kind that has seen one answer from the beginning. */
async function createScene(options: TestAppOptions = {}) {
  const app = await createTestApp(options);
  const sessionId = await app.createSession();
  const [whole, appending] = [await app.connect(), await app.connect()];
  await whole.ask('session:subscribe', { sessionId });
  await appending.ask('session:subscribe', { sessionId, appends: true });
  return { app, sessionId, whole, appending };
}

async function say(app: TestApp, sessionId: string, windows: readonly SocketClient[], text: string): Promise<void> {
  app.agent.answerNext([{ think: wordsOf('I should answer') }, { say: wordsOf(text) }]);
  await app.app.service.send({ sessionId, content: 'Go on' });
  for (const window of windows) await window.next(({ payload }) => payload?.type === 'turn_complete');
}

describe('engine/from a window that comes back', () => {
  it.each([
    ['whole upserts', false],
    ['appends', true],
  ] as const)('engine/from gets exactly the events after its number, as %s', async (_name, appends) => {
    const { app, sessionId, whole, appending } = await createScene();
    await say(app, sessionId, [whole, appending], 'One two three four five');
    const all = eventsOf(appends ? appending : whole);

    for (const from of [0, 1, 4, all.length - 1]) {
      const back = await app.connect();
      const answer = await back.ask('session:subscribe', { sessionId, from, appends });

      expect(answer).toMatchObject({ type: 'session:resumed', sessionId, asOf: all.length });
      expect(back.of('session:history')).toEqual([]);
      expect(eventsOf(back)).toEqual(all.slice(from));
    }
  });

  it('engine/from gets the end of a turn with the times that a snapshot has', async () => {
    const { app, sessionId, whole } = await createScene();
    await say(app, sessionId, [whole], 'One two');
    const [back, joining] = [await app.connect(), await app.connect()];
    await back.ask('session:subscribe', { sessionId, from: 0 });
    const { turns } = await joining.ask('session:subscribe', { sessionId });

    const end = back.of('session:turn').find(({ payload }) => payload?.type === 'turn_complete');
    expect(turns).toMatchObject([{ status: 'completed', ...end?.times }]);
    expect(end?.times).toEqual({ startedAt: expect.any(String), endedAt: expect.any(String) });
  });

  it('engine/from gets nothing but later events if it missed nothing, and no answer if it asked for none', async () => {
    const { app, sessionId, whole, appending } = await createScene();
    await say(app, sessionId, [whole, appending], 'One two');
    const from = eventsOf(whole).length;
    const back = await app.connect();

    back.send({ type: 'session:open', sessionId, from });
    await back.settled();
    expect(back.frames.filter((frame) => frame.sessionId === sessionId && frame.type !== 'agent:status')).toEqual([]);

    await say(app, sessionId, [back], 'Three');
    expect(eventsOf(back)[0]?.seq).toBe(from + 1);
  });

  it('engine/from gets a snapshot for a number that was never reached', async () => {
    const { app, sessionId, whole } = await createScene();
    for (const from of [1, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const answer = await whole.ask('session:subscribe', { sessionId, from });
      expect(answer).toMatchObject({ type: 'session:history', asOf: 0 });
    }
    expect(app.logLines).toEqual([]);
  });

  it('engine/from gets a snapshot for a number from before the session was loaded again', async () => {
    const { app, sessionId, whole, appending } = await createScene();
    await say(app, sessionId, [whole, appending], 'One two');
    const last = eventsOf(whole).length;
    await app.app.service.kill({ sessionId });
    const back = await app.connect();

    for (const from of [last - 1, last]) {
      const answer = await back.ask('session:subscribe', { sessionId, from });
      expect(answer.type).toBe('session:history');
      expect(answer.asOf).toBeGreaterThan(last);
    }
  });

  it('engine/from gets a snapshot if the server no longer keeps all the events, by count or by size', async () => {
    for (const log of [
      { events: 5, size: 10_000 },
      { events: 1_000, size: 20 },
    ]) {
      const { app, sessionId, whole, appending } = await createScene({ limits: { sessionLimits: { log } } });
      await say(app, sessionId, [whole, appending], 'One two three four five six');
      const last = eventsOf(whole).length;
      const back = await app.connect();

      expect(await back.ask('session:subscribe', { sessionId, from: 0 })).toMatchObject({ type: 'session:history' });
      expect(await back.ask('session:subscribe', { sessionId, from: last - 1 })).toMatchObject({
        type: 'session:resumed',
      });
    }
  });

  it('engine/from gets a snapshot instead of whole texts that are too long or were replaced; appends go on', async () => {
    const { app, sessionId } = await createScene();
    const core = app.agent.core(sessionId);
    core.apply({ do: 'item_start', turnId: 't', itemId: 'long', kind: 'message', content: 'start ' });
    for (let count = 0; count < 40; count += 1) {
      core.apply({ do: 'item_delta', itemId: 'long', text: `${'x'.repeat(10_000)} ` });
    }
    const back = await app.connect();
    const subscribe = async (appends: boolean, from: number) =>
      (await back.ask('session:subscribe', { sessionId, from, appends })).type;

    expect(await subscribe(false, 3)).toBe('session:history');
    expect(await subscribe(false, 40)).toBe('session:resumed');
    expect(await subscribe(true, 3)).toBe('session:resumed');

    core.apply({ do: 'item_start', turnId: 't', itemId: 'replaced', kind: 'message', content: 'Draft ' });
    const { asOf = 0 } = await back.ask('session:subscribe', { sessionId });
    core.apply({ do: 'item_delta', itemId: 'replaced', text: 'of it ' });
    core.apply({ do: 'item_done', itemId: 'replaced', content: 'Something else.' });
    expect(await subscribe(false, asOf)).toBe('session:history');
    expect(await subscribe(true, asOf)).toBe('session:resumed');
  });

  it.each([
    ['negative', -1],
    ['not an integer', 1.5],
    ['text', '7'],
    ['null', null],
    ['too large to be exact', 2 ** 60],
    ['a list', [1]],
  ])('engine/from that is %s is refused with a clear error', async (_name, from) => {
    const { app, sessionId, whole } = await createScene();

    for (const type of ['session:subscribe', 'session:open'] as const) {
      const answer = await whole.ask(type, { sessionId, from });
      expect(answer).toMatchObject({ type: 'error', code: 'INVALID_MESSAGE', sessionId });
      expect(answer.message).toContain('from');
    }
    const path = commands['session:open'].http.path.replace(':id', encodeURIComponent(sessionId));
    expect(await app.request('POST', path, { body: { from } })).toMatchObject({ status: 400 });
  });

  it.each([0, 'true', null, {}])('engine/append appends: %j is refused with a clear error', async (appends) => {
    const { sessionId, whole } = await createScene();

    const answer = await whole.ask('session:subscribe', { sessionId, appends });

    expect(answer).toMatchObject({ code: 'INVALID_MESSAGE', message: expect.stringContaining('appends') });
  });
});

describe('engine/append text that grows', () => {
  it('engine/append is sent as what was added to a window that wants it, with the same numbers as the whole', async () => {
    const { app, sessionId, whole, appending } = await createScene();
    await say(app, sessionId, [whole, appending], 'One two three');

    const [upserts, events] = [eventsOf(whole), eventsOf(appending)];
    expect(events.map(({ seq }) => seq)).toEqual(upserts.map(({ seq }) => seq));
    expect(whole.of('session:append')).toEqual([]);
    const answer = appending.of('session:append').filter(({ itemId }) => itemId?.includes(':1:'));
    expect(answer.map(({ at, text }) => [at, text])).toEqual([
      [3, ' two'],
      [7, ' three'],
      [13, ''],
    ]);
    expect(answer.map(({ end }) => end?.status)).toEqual([undefined, undefined, 'complete']);
    const last = upserts.findLast(({ payload }) => payload?.type === 'message')?.payload;
    expect(last).toMatchObject({ ...answer.at(-1)?.end, content: 'One two three' });
  });

  it('engine/append tells why a text ended early', async () => {
    const { app, sessionId, appending } = await createScene();
    const core = app.agent.core(sessionId);
    core.apply({ do: 'item_start', turnId: 't', itemId: 'i', kind: 'message', content: 'Half ' });
    core.apply({ do: 'item_error', itemId: 'i', code: 'MODEL_ERROR', message: 'It broke.' });
    await appending.settled();

    expect(appending.of('session:append')).toMatchObject([
      { itemId: 'i', at: 5, text: '', end: { status: 'error', errorCode: 'MODEL_ERROR', errorMessage: 'It broke.' } },
    ]);
  });

  it('engine/append is a whole upsert where the text was replaced, or did not grow as the provider says', async () => {
    const { app, sessionId, appending } = await createScene();
    const core = app.agent.core(sessionId);
    core.apply({ do: 'item_start', turnId: 't', itemId: 'i', kind: 'message', content: 'Draft ' });
    core.apply({ do: 'item_done', itemId: 'i', content: 'Something else.' });
    core.apply({ do: 'item_start', turnId: 't', itemId: 'j', kind: 'message', content: 'Text ' });
    const { payload } = await appending.next(
      (frame) => frame.payload !== undefined && 'itemId' in frame.payload && frame.payload.itemId === 'j',
    );
    if (payload?.type !== 'message') throw new Error('There is no message.');
    for (const growth of [
      { at: 4, text: 'more' },
      { at: 5, text: 'longer than it is' },
    ]) {
      app.agent.emitUpsert({ ...payload, status: 'update', content: 'Text more' }, growth);
    }
    app.agent.emitUpsert(
      { ...payload, status: 'update', origin: 'system', content: 'Text more!' },
      { at: 9, text: '!' },
    );
    await appending.settled();

    expect(appending.of('session:append')).toEqual([]);
    expect(appending.of('session:upsert')).toHaveLength(6);
  });

  it('engine/append keeps characters whole that were cut in two', async () => {
    const { app, sessionId, appending } = await createScene();
    const core = app.agent.core(sessionId);
    core.apply({ do: 'item_start', turnId: 't', itemId: 'i', kind: 'message', content: 'a \ud83d' });
    core.apply({ do: 'item_delta', itemId: 'i', text: '\ude00 b' });
    core.apply({ do: 'item_done', itemId: 'i' });
    await appending.settled();

    const first = appending.of('session:upsert')[0]?.payload;
    const text = appending.of('session:append').map((frame) => frame.text);
    expect((first?.type === 'message' ? first.content : '') + text.join('')).toBe('a \u{1f600} b');
  });

  it('engine/append changes with the subscription', async () => {
    const { app, sessionId, whole, appending } = await createScene();
    await appending.ask('session:subscribe', { sessionId });
    await whole.ask('session:subscribe', { sessionId, appends: true });

    await say(app, sessionId, [whole, appending], 'One two three');

    expect(appending.of('session:append')).toEqual([]);
    expect(whole.of('session:append').length).toBeGreaterThan(3);
  });
});

describe('engine/pages a long conversation', () => {
  /** A session with so many entries, ten of them a turn. */
  async function createLong(count: number) {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const core = app.agent.core(sessionId);
    for (let index = 0; index < count; index += 1) {
      const turnId = `t${Math.floor(index / 10)}`;
      core.apply({ do: 'message', turnId, itemId: `${turnId}:${index}:0`, origin: 'agent', content: `Entry ${index}` });
    }
    const window = await app.connect();
    const entries = (frame: Frame) =>
      (frame.entries ?? []).map((entry) => (entry.type === 'message' ? entry.content : ''));
    const all = Array.from({ length: count }, (_, index) => `Entry ${index}`);
    return { app, sessionId, window, entries, all };
  }

  it('engine/pages opens with its newest entries and is read to its beginning, through socket and HTTP', async () => {
    const { app, sessionId, window, entries, all } = await createLong(2_500);
    const history = await window.ask('session:open', { sessionId });
    expect(history).toMatchObject({ more: true });
    expect(entries(history)).toEqual(all.slice(-1_000));

    const before = history.entries?.[0]?.itemId ?? '';
    const page = await window.ask('session:items', { sessionId, before });
    expect(entries(page)).toEqual(all.slice(500, 1_500));
    expect(page.more).toBe(true);

    const path = commands['session:items'].http.path.replace(':id', encodeURIComponent(sessionId));
    const query = new URLSearchParams({ before: page.entries?.[0]?.itemId ?? '' });
    const { body } = await app.request('GET', `${path}?${query}`);
    expect(entries({ type: '', ...body })).toEqual(all.slice(0, 500));
    expect(body.more).toBe(false);
  });

  it('engine/pages a short one says nothing of older entries', async () => {
    const { sessionId, window } = await createLong(20);
    expect(await window.ask('session:open', { sessionId })).not.toHaveProperty('more');
  });

  it.each([
    ['unknown', 'nobody', 404, 'ITEM_NOT_FOUND'],
    ['of Object.prototype', '__proto__', 404, 'ITEM_NOT_FOUND'],
    ['empty', '', 400, 'INVALID_MESSAGE'],
    ['too long', 'x'.repeat(1_025), 400, 'INVALID_MESSAGE'],
  ])('engine/pages before an entry that is %s is a clear error', async (_name, before, status, code) => {
    const { app, sessionId, window } = await createLong(20);

    expect(await window.ask('session:items', { sessionId, before })).toMatchObject({ type: 'error', code });
    const path = commands['session:items'].http.path.replace(':id', encodeURIComponent(sessionId));
    const answer = await app.request('GET', `${path}?${new URLSearchParams({ before })}`);
    expect(answer).toMatchObject({ status, body: { code } });
  });

  it('engine/pages without an entry, or with two, is refused', async () => {
    const { app, sessionId, window } = await createLong(20);
    const path = commands['session:items'].http.path.replace(':id', encodeURIComponent(sessionId));

    expect(await window.ask('session:items', { sessionId })).toMatchObject({ code: 'INVALID_MESSAGE' });
    for (const query of ['', '?before=a&before=b', '?before=a&limit=5']) {
      expect(await app.request('GET', `${path}${query}`)).toMatchObject({ status: 400 });
    }
  });
});
