import { describe, expect, it } from 'vitest';
import { all, one } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const row = (title: string) => one('button', new RegExp(`^${title} `));

/** A shell with one session open whose page is ready. */
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
  it('gets nothing before it is ready, then who it is, then what it missed, in order', async () => {
    const { rig, id, ready, project } = await openPage();
    rig.say({ type: 'session:history', sessionId: id, entries: [{ any: 'thing' }], turns: [] });
    rig.say({ type: 'session:upsert', sessionId: id, payload: { itemId: 'x' } });
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
    });
    expect(rig.posted(id)).toContainEqual({ type: 'session:history', entries: [{ any: 'thing' }], turns: [] });
  });

  it('gets the conversation of its own session only', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.say({ type: 'session:upsert', sessionId: 'codex:other', payload: {} });
    rig.say({ type: 'session:turn', sessionId: id, payload: { type: 'turn_started', turnId: 't' } });
    expect(posts('session:upsert')).toEqual([]);
    expect(posts('session:turn')).toEqual([{ type: 'session:turn', payload: { type: 'turn_started', turnId: 't' } }]);
  });

  it('hears of a new title, the theme and the connection when they change, and only then', async () => {
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

  it('hears how its agent stands: the status of its own process before that of the agent', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.say({ type: 'agent:status', cliType: 'claude-code', status: 'starting' });
    expect(posts('agent:status')).toEqual([{ type: 'agent:status', status: 'starting' }]);
    rig.say({
      type: 'agent:status',
      cliType: 'claude-code',
      sessionId: id,
      status: 'reconnecting',
      attempt: 2,
      maxAttempts: 5,
    });
    expect(posts('agent:status').at(-1)).toEqual({
      type: 'agent:status',
      status: 'reconnecting',
      attempt: 2,
      maxAttempts: 5,
    });
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'disconnected' });
    expect(posts('agent:status')).toHaveLength(2);
  });

  it('sends a message over HTTP and learns its turn', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    rig.answers.set(`/api/session/${encodeURIComponent(id)}/send`, () => ({
      status: 202,
      body: { sessionId: id, turnId: 't1' },
    }));
    rig.fromPortlet(id, { type: 'session:send', sendId: 's1', content: 'Hello' });
    await rig.settle();
    expect(rig.calls.at(-1)).toMatchObject({ body: { content: 'Hello' }, token: 'Bearer a-token' });
    expect(posts('session:sent')).toEqual([{ type: 'session:sent', sendId: 's1', turnId: 't1' }]);
  });

  it('learns why a message could not be sent', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Agent is unavailable.' };
    rig.answers.set(`/api/session/${encodeURIComponent(id)}/send`, () => ({ status: 503, body: error }));
    rig.fromPortlet(id, { type: 'session:send', sendId: 's1', content: 'Hello' });
    await rig.settle();
    expect(posts('session:send-failed')).toEqual([{ type: 'session:send-failed', sendId: 's1', error }]);
  });

  it('cancels and reconnects over HTTP, and learns of a failure', async () => {
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

  it('is told when its session cannot be opened, and can ask again', async () => {
    const { rig, id, ready, posts } = await openPage();
    ready();
    const error = { code: 'SESSION_NOT_FOUND', message: 'Its transcript is gone.', sessionId: id };
    rig.say({ type: 'error', ...error });
    expect(posts('session:error')).toEqual([{ type: 'session:error', error }]);
    expect(all('alert')).toEqual([]);
    rig.fromPortlet(id, { type: 'session:reload' });
    expect(rig.sent('session:subscribe')).toHaveLength(2);
  });

  it('that was loaded anew gets everything again', async () => {
    const { rig, ready, posts } = await openPage();
    ready();
    ready();
    expect(posts('session:info')).toHaveLength(2);
    expect(rig.sent('session:subscribe')).toHaveLength(2);
  });

  it('reaches the filter and the sidebar with its keys', async () => {
    const { rig, id, ready } = await openPage();
    ready();
    rig.fromPortlet(id, { type: 'shell:key', key: 'filter' });
    expect((document.activeElement as HTMLInputElement).type).toBe('search');
    rig.fromPortlet(id, { type: 'shell:key', key: 'sidebar' });
    expect(rig.root.querySelector<HTMLElement>('.sidebar')?.hidden).toBe(true);
  });
});

describe('a message that only looks like one from a session page', () => {
  it.each([
    ['from another origin', { origin: 'http://evil.example' }],
    ['from another window', { source: window }],
    ['from no window', { source: null }],
    ['of another form', { data: { type: 'session:send', content: 'x' } }],
  ])('has no effect: %s', async (_, wrong) => {
    const { rig, id, ready } = await openPage();
    ready();
    const calls = rig.calls.length;
    const right = {
      data: { type: 'session:send', sendId: 's', content: 'rm -rf' },
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

  it('has no effect after its tab was closed', async () => {
    const { rig, id, ready } = await openPage();
    ready();
    const source = rig.frame(id).contentWindow;
    one('button', 'Close A').click();
    const calls = rig.calls.length;
    const data = { type: 'session:send', sendId: 's', content: 'x' };
    window.dispatchEvent(new MessageEvent('message', { data, origin: location.origin, source }));
    await rig.settle();
    expect(rig.calls).toHaveLength(calls);
  });
});
