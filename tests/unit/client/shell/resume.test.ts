import { describe, expect, it } from 'vitest';
import { one } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const row = (title: string) => one('button', new RegExp(`^${title} `));

/** A shell whose one open page has its snapshot. */
async function openPage() {
  const project = projectOf('api');
  const session = sessionOf(project, 'A', { state: 'open' });
  const rig = startShellRig({ projects: [project], sessions: [session] });
  await rig.connect();
  row('A').click();
  const { id } = session;
  rig.posted(id);
  rig.fromPortlet(id, { type: 'portlet:ready' });
  const subscriptions = () => rig.sent('session:subscribe');
  const event = (seq: number) =>
    rig.say({ type: 'session:append', sessionId: id, seq, itemId: 'i', at: seq, text: '.' });
  const history = (asOf: number) => rig.say({ type: 'session:history', sessionId: id, asOf, entries: [], turns: [] });
  async function reconnect(): Promise<void> {
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
  }
  return { rig, id, subscriptions, event, history, reconnect };
}

describe('engine/from the shell', () => {
  it('engine/append subscribes with appends, and without a number at first', async () => {
    const { id, subscriptions } = await openPage();
    expect(subscriptions()).toMatchObject([{ sessionId: id, appends: true }]);
    expect(subscriptions()[0]).not.toHaveProperty('from');
  });

  it('engine/from asks after a lost connection for what its page has not seen', async () => {
    const { id, subscriptions, event, history, reconnect } = await openPage();
    history(4);
    event(5);
    event(6);
    await reconnect();
    expect(subscriptions()).toMatchObject([{ sessionId: id, appends: true, from: 6 }]);
    event(7);
    await reconnect();
    expect(subscriptions()).toMatchObject([{ from: 7 }]);
  });

  it('engine/from asks for a snapshot if its page never had one', async () => {
    const { subscriptions, event, reconnect } = await openPage();
    event(5);
    await reconnect();
    expect(subscriptions()[0]).not.toHaveProperty('from');
  });

  it.each(['session:reload', 'portlet:ready'])(
    'engine/from asks for a snapshot after %s, also if the connection is lost meanwhile',
    async (type) => {
      const { rig, id, subscriptions, event, history, reconnect } = await openPage();
      history(4);
      rig.fromPortlet(id, { type });
      expect(subscriptions()).toHaveLength(2);
      expect(subscriptions()[1]).not.toHaveProperty('from');
      event(5);
      await reconnect();
      expect(subscriptions()[0]).not.toHaveProperty('from');
    },
  );

  it('engine/from tells the page when it is up to date', async () => {
    const { rig, id, history } = await openPage();
    history(4);
    const resumed = { type: 'session:resumed', sessionId: id, asOf: 4, requestId: 'subscribe' };
    rig.say(resumed);
    expect(rig.posted(id)).toContainEqual(resumed);
  });

  it('tells the page why its session could not be opened', async () => {
    const { rig, id } = await openPage();
    const error = { code: 'SESSION_NOT_FOUND', message: 'Gone.', requestId: 'subscribe', sessionId: id };
    rig.say({ type: 'error', ...error });
    expect(rig.posted(id)).toContainEqual({ type: 'session:error', error });
  });
});

describe('engine/pages the shell', () => {
  it('engine/pages reads a page through the socket and passes it on unread', async () => {
    const { rig, id } = await openPage();
    rig.fromPortlet(id, { type: 'session:older', before: 'x' });
    const [request] = rig.sent('session:items');
    expect(request).toMatchObject({ sessionId: id, before: 'x' });
    const page = { sessionId: id, entries: [{ any: 'thing' }], turns: [{ any: 'turn' }], more: true };
    rig.say({ type: 'session:items', requestId: request?.requestId, ...page });
    await rig.settle();
    expect(rig.posted(id)).toContainEqual({ type: 'session:page', before: 'x', ...page });
  });

  it('engine/pages tells the page why a page could not be read', async () => {
    const { rig, id } = await openPage();
    rig.fromPortlet(id, { type: 'session:older', before: 'x' });
    const [request] = rig.sent('session:items');
    const error = { code: 'ITEM_NOT_FOUND', message: 'Gone.' };
    rig.say({ type: 'error', requestId: request?.requestId, sessionId: id, ...error });
    await rig.settle();
    expect(rig.posted(id)).toContainEqual({
      type: 'session:page-failed',
      before: 'x',
      error: expect.objectContaining(error),
    });
  });

  it.each([
    ['a page without its entries', { sessionId: 'codex:a', turns: [], more: false }],
    ['a page whose end is not told', { sessionId: 'codex:a', entries: [], turns: [] }],
  ])('engine/pages refuses %s', async (_name, page) => {
    const { rig, id } = await openPage();
    rig.fromPortlet(id, { type: 'session:older', before: 'x' });
    const [request] = rig.sent('session:items');
    rig.say({ type: 'session:items', requestId: request?.requestId, ...page });
    await rig.settle();
    expect(rig.posted(id)).toContainEqual(expect.objectContaining({ type: 'session:page-failed' }));
  });

  it.each([{ before: '' }, { before: 7 }, {}, { before: 'x'.repeat(1_025) }])(
    'engine/pages ignores a page request that does not fit the contract: %j',
    async (fields) => {
      const { rig, id } = await openPage();
      rig.fromPortlet(id, { type: 'session:older', ...fields });
      expect(rig.sent('session:items')).toEqual([]);
    },
  );
});
