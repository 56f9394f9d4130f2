import { describe, expect, it } from 'vitest';
import { all, one } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const SENT = '00000000-0000-4000-8000-0000000000aa';

const row = (title: string) => one('button', new RegExp(`^${title} `));

/** A shell with one open session. */
async function openPage() {
  const project = projectOf('api');
  const session = sessionOf(project, 'A');
  const rig = startShellRig({ projects: [project], sessions: [session] });
  await rig.connect();
  row('A').click();
  const { id } = session;
  rig.posted(id);
  const posts = (type: string) => rig.posted(id).filter((message) => message.type === type);
  const ready = () => rig.fromPortlet(id, { type: 'portlet:ready' });
  return { rig, project, session, id, posts, ready };
}

describe('a session page', () => {
  it('receives nothing before it is ready, then its session info and the queued messages in order', async () => {
    const { rig, id, ready, project } = await openPage();
    const history = { type: 'session:history', sessionId: id, asOf: 4, entries: [{ any: 'thing' }], turns: [] };
    rig.say(history);
    rig.say({ type: 'session:upsert', sessionId: id, seq: 5, payload: { itemId: 'x' } });
    expect(rig.posted(id)).toEqual([]);
    ready();
    const types = rig.posted(id).map(({ type }) => type);
    expect(types.indexOf('session:info')).toBeLessThan(types.indexOf('session:history'));
    expect(types.indexOf('session:history')).toBeLessThan(types.indexOf('session:upsert'));
    expect(rig.posted(id)).toContainEqual({
      type: 'session:info',
      title: 'A',
      agentLabel: 'Claude Code',
      cliType: 'claude-code',
      projectPath: project.path,
      demo: false,
      background: 0,
    });
    expect(rig.posted(id)).toContainEqual(history);
  });

  it('receives only the conversation of its own session', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const payload = { type: 'turn_started', turnId: 't', sessionId: id, modelId: 'm', providerId: 'p' };
    const turn = { type: 'session:turn', sessionId: id, seq: 1, payload };
    rig.say({ type: 'session:upsert', sessionId: 'codex:other', seq: 1, payload: {} });
    rig.say(turn);
    expect(posts('session:upsert')).toEqual([]);
    expect(posts('session:turn')).toEqual([turn]);
  });

  it('receives title, theme and connection only when they change', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const before = rig.posted(id).length;
    rig.say({ type: 'session:title-updated', sessionId: id, title: 'B' });
    expect(posts('session:info').at(-1)).toMatchObject({ title: 'B' });
    one('button', 'Theme: system').click();
    expect(posts('theme').at(-1)).toEqual({ type: 'theme', theme: 'dark' });
    rig.exchange.end().drop();
    expect(posts('connection').at(-1)).toEqual({ type: 'connection', state: 'reconnecting' });
    expect(rig.posted(id)).toHaveLength(before + 3);
  });

  it('receives the status of its own process if there is one, otherwise that of the agent', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.say({ type: 'agent:status', cliType: 'claude-code', status: 'starting' });
    expect(posts('agent:status')).toMatchObject([{ status: 'starting' }]);
    rig.say({
      type: 'agent:status',
      cliType: 'claude-code',
      sessionId: id,
      status: 'reconnecting',
      attempt: 2,
      maxAttempts: 5,
    });
    expect(posts('agent:status').at(-1)).toMatchObject({ status: 'reconnecting', attempt: 2, maxAttempts: 5 });
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'disconnected' });
    expect(posts('agent:status')).toHaveLength(2);
  });

  it('sends a message over HTTP under the id that the page chose', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.answers.set(`/api/session/${encodeURIComponent(id)}/send`, () => ({
      status: 202,
      body: { sessionId: id, turnId: SENT },
    }));
    rig.fromPortlet(id, { type: 'session:send', turnId: SENT, content: 'Hello' });
    await rig.settle();
    expect(rig.calls.at(-1)).toMatchObject({
      body: { content: 'Hello', turnId: SENT },
      authorization: expect.stringMatching(/^Liminal /),
    });
    expect(posts('session:sent')).toEqual([{ type: 'session:sent', turnId: SENT }]);
  });

  it('receives the reason if a message could not be sent', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Agent is unavailable.' };
    rig.answers.set(`/api/session/${encodeURIComponent(id)}/send`, () => ({ status: 503, body: error }));
    rig.fromPortlet(id, { type: 'session:send', turnId: SENT, content: 'Hello' });
    await rig.settle();
    expect(posts('session:send-failed')).toEqual([{ type: 'session:send-failed', turnId: SENT, error }]);
  });

  it('keep/same-send learns that nobody answered, so that it can send the same message again', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.network.answer = () => Promise.reject(new TypeError('Failed to fetch'));
    rig.fromPortlet(id, { type: 'session:send', turnId: SENT, content: 'Hello' });
    await rig.settle();
    rig.exchange.end().drop();
    rig.fromPortlet(id, { type: 'session:send', turnId: SENT, content: 'Hello' });
    await rig.settle();
    const unanswered = { type: 'session:send-unanswered', turnId: SENT };
    expect(posts('session:send-unanswered')).toEqual([unanswered, unanswered]);
    expect(posts('session:send-failed')).toEqual([]);
    // Without a connection nothing is sent: whoever answers may not be our server.
    expect(rig.calls.filter(({ path }) => path.endsWith('/send'))).toHaveLength(1);
  });

  it('engine/background-stop page: stops background work over HTTP, one or all, and receives failures', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const path = `/api/session/${encodeURIComponent(id)}/stop-background`;
    rig.fromPortlet(id, { type: 'session:stop-background', itemId: 't:1:0' });
    rig.fromPortlet(id, { type: 'session:stop-background' });
    rig.fromPortlet(id, { type: 'session:stop-background', itemId: '' });
    rig.fromPortlet(id, { type: 'session:stop-background', itemId: 7 });
    await rig.settle();
    expect(rig.calls.filter((call) => call.path === path).map(({ body }) => body)).toEqual([{ itemId: 't:1:0' }, {}]);
    expect(posts('session:stop-failed')).toEqual([]);
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Agent is unavailable.' };
    rig.answers.set(path, () => ({ status: 503, body: error }));
    rig.fromPortlet(id, { type: 'session:stop-background', itemId: 't:1:0' });
    rig.fromPortlet(id, { type: 'session:stop-background' });
    await rig.settle();
    expect(posts('session:stop-failed')).toEqual([
      { type: 'session:stop-failed', itemId: 't:1:0', error },
      { type: 'session:stop-failed', error },
    ]);
  });

  it('keep/put-back asks the server over HTTP and receives the refusal', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const path = `/api/session/${encodeURIComponent(id)}/put-back`;
    rig.answers.set(path, () => ({ status: 200, body: { sessionId: id, files: 1 } }));
    rig.fromPortlet(id, { type: 'session:put-back' });
    await rig.settle();
    expect(rig.calls.at(-1)).toMatchObject({ method: 'POST', path });
    expect(posts('session:put-back-failed')).toEqual([]);
    const error = { code: 'COPY_DAMAGED', message: 'The copy is damaged.' };
    rig.answers.set(path, () => ({ status: 500, body: error }));
    rig.fromPortlet(id, { type: 'session:put-back' });
    await rig.settle();
    expect(posts('session:put-back-failed')).toEqual([{ type: 'session:put-back-failed', error }]);
  });

  it('engine/background-live page: is told how much runs in the background', async () => {
    const { rig, id, session, ready, posts } = await openPage();
    ready();
    rig.say({ type: 'session:changed', sessionId: id, session: { ...session, background: 2 } });
    expect(posts('session:info').at(-1)).toMatchObject({ background: 2 });
  });

  it('safe/no-process warms up the agent over HTTP and says nothing of a failure', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const path = `/api/session/${encodeURIComponent(id)}/warm`;
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Agent is unavailable.' };
    rig.answers.set(path, () => ({ status: 503, body: error }));
    rig.fromPortlet(id, { type: 'session:warm' });
    await rig.settle();
    expect(rig.calls.at(-1)?.path).toBe(path);
    expect(posts('session:error')).toEqual([]);
  });

  it('cancels and reconnects over HTTP and receives failures', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.fromPortlet(id, { type: 'session:cancel' });
    await rig.settle();
    expect(rig.calls.at(-1)?.path).toBe(`/api/session/${encodeURIComponent(id)}/cancel`);
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Agent is unavailable.' };
    rig.answers.set(`/api/session/${encodeURIComponent(id)}/reconnect`, () => ({ status: 503, body: error }));
    rig.fromPortlet(id, { type: 'session:reconnect' });
    await rig.settle();
    expect(posts('session:error')).toEqual([{ type: 'session:error', error }]);
  });

  it('receives an error if its session cannot be opened, and can retry', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const error = { code: 'SESSION_NOT_FOUND', message: 'Its transcript is gone.', sessionId: id };
    rig.say({ type: 'error', ...error });
    expect(posts('session:error')).toEqual([{ type: 'session:error', error }]);
    expect(all('alert')).toEqual([]);
    rig.fromPortlet(id, { type: 'session:reload' });
    expect(rig.sent('session:subscribe')).toHaveLength(2);
  });

  it('receives everything again after a reload', async () => {
    const { rig, ready, posts } = await openPage();
    ready();
    ready();
    expect(posts('session:info')).toHaveLength(2);
    expect(rig.sent('session:subscribe')).toHaveLength(2);
  });

  it('can trigger the shortcuts for filter and sidebar', async () => {
    const { rig, id, ready } = await openPage();
    ready();
    rig.fromPortlet(id, { type: 'shell:key', key: 'filter' });
    expect((document.activeElement as HTMLInputElement).type).toBe('search');
    rig.fromPortlet(id, { type: 'shell:key', key: 'sidebar' });
    expect(rig.root.querySelector<HTMLElement>('.sidebar')?.hidden).toBe(true);
  });
});

describe('a forged message', () => {
  it.each([
    ['from another origin', { origin: 'http://evil.example' }],
    ['from another window', { source: window }],
    ['from no window', { source: null }],
    ['that does not match the schema', { data: { type: 'session:send', content: 'x' } }],
  ])('%s has no effect', async (_, wrong) => {
    const { rig, id, ready } = await openPage();
    ready();
    const calls = rig.calls.length;
    const right = {
      data: { type: 'session:send', turnId: SENT, content: 'rm -rf' },
      origin: location.origin,
      source: rig.frame(id).contentWindow,
    };
    window.dispatchEvent(new MessageEvent('message', { ...right, ...wrong }));
    await rig.settle();
    expect(rig.calls).toHaveLength(calls);
    window.dispatchEvent(new MessageEvent('message', right));
    await rig.settle();
    expect(rig.calls).toHaveLength(calls + 1);
  });

  it('from a closed tab has no effect', async () => {
    const { rig, id, ready } = await openPage();
    ready();
    const source = rig.frame(id).contentWindow;
    one('button', 'Close A').click();
    const calls = rig.calls.length;
    const data = { type: 'session:send', turnId: SENT, content: 'x' };
    window.dispatchEvent(new MessageEvent('message', { data, origin: location.origin, source }));
    await rig.settle();
    expect(rig.calls).toHaveLength(calls);
  });
});
