import { describe, expect, it } from 'vitest';
import { oneTimeFragment, printedToken } from '../../../../server/security/run-secret.ts';
import { createStranger } from './rig/fake-socket.ts';
import { all, nameOf, one } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const row = (title: string) => one('button', new RegExp(`^${title} `));

async function twoTabs() {
  const project = projectOf('api');
  const sessions = [sessionOf(project, 'A', { state: 'open' }), sessionOf(project, 'B', { state: 'open' })];
  const rig = startShellRig({ projects: [project], sessions });
  await rig.connect();
  row('A').click();
  row('B').click();
  const [a, b] = sessions;
  if (a === undefined || b === undefined) throw new Error('Two sessions were made.');
  return { rig, project, a, b };
}

const STRANGER = 'Another program answers at this address';

describe('a page without access', () => {
  it('explains where to get it and opens no socket', async () => {
    const rig = startShellRig({}, { hasKey: false });
    await rig.settle();
    one('heading', 'Open the address the server printed');
    expect(rig.root.classList.contains('is-locked')).toBe(true);
    expect(rig.exchange.ends).toEqual([]);
  });

  it('safe/renew says that the token was renewed after the server has ended its access', async () => {
    const rig = startShellRig();
    await rig.connect();
    rig.exchange.end().drop(4401);
    expect(one('alert').textContent).toContain('The token was renewed');
    rig.timers.advance(60_000);
    expect(rig.exchange.ends).toHaveLength(1);
  });

  it('gets in as soon as another window of the browser has a key', async () => {
    const rig = startShellRig({}, { hasKey: false });
    await rig.settle();
    await rig.keys.save(new Uint8Array(rig.server.pageKey));
    window.dispatchEvent(new StorageEvent('storage', { key: 'liminal:key-saved-at', newValue: '1' }));
    await rig.connect();
    expect(all('heading', 'Open the address the server printed')).toEqual([]);
    expect(rig.exchange.end().sent[0]).toMatchObject({ type: 'hello', by: 'key' });
    window.dispatchEvent(new StorageEvent('storage', { key: 'liminal:key-saved-at', newValue: '2' }));
    await rig.settle();
    expect(rig.exchange.ends).toHaveLength(1);
  });

  it('safe/fragment connects when an address of the server is opened in the same window, and keeps the key', async () => {
    const rig = startShellRig({}, { hasKey: false });
    await rig.settle();
    location.hash = `#token=${printedToken(rig.server.credentials.run())}`;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await rig.connect();
    expect(location.hash).toBe('');
    expect(all('heading', 'Open the address the server printed')).toEqual([]);
    expect(rig.keys.saved.map((key) => [...key])).toEqual([[...rig.server.pageKey]]);
    rig.exchange.end().drop();
    rig.timers.advance(250);
    rig.exchange.end().accept();
    expect(rig.exchange.end().sent[0]).toMatchObject({ type: 'hello', by: 'key' });
  });
});

describe('safe/fragment a link with a token', () => {
  it.each(['#token=x', `#token=${'A'.repeat(43)}`, `#once=${'A'.repeat(22)}.9999999999999.${'A'.repeat(43)}`])(
    'that is wrong (%s) leaves the stored key in use, with a notice',
    async (hash) => {
      location.hash = hash;
      const rig = startShellRig({ projects: [projectOf('api')] });
      await rig.connect();
      // The second socket, unless the token cannot be one at all.
      if (all('status', /ignored/).length === 0 || rig.exchange.ends.length > 1) await rig.connect();
      expect(location.hash).toBe('');
      expect(rig.keys.saved).toEqual([]);
      expect(rig.root.textContent).toContain('Server connected');
      expect(one('status', /ignored/).textContent).toContain('not valid');
      expect(all('alert')).toEqual([]);
    },
  );

  it('is removed from the address and otherwise ignored while the page is connected', async () => {
    const rig = startShellRig();
    await rig.connect();
    location.hash = '#token=x';
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await rig.settle();
    expect(location.hash).toBe('');
    expect(rig.exchange.ends).toHaveLength(1);
    expect(rig.exchange.end().closedByPage()).toBe(false);
  });

  it('stays in the address until it was used, so that a reload does not lose it', async () => {
    const rig = startShellRig({}, { hasKey: false });
    await rig.settle();
    const hash = `#token=${printedToken(rig.server.credentials.run())}`;
    location.hash = hash;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await rig.settle();
    expect(location.hash).toBe(hash);
    await rig.connect();
    expect(location.hash).toBe('');
  });

  it('that is from an earlier start says so if there is no stored key', async () => {
    location.hash = `#token=${'A'.repeat(43)}`;
    const rig = startShellRig({}, { hasKey: false });
    await rig.connect();
    expect(one('alert').textContent).toContain('earlier start');
  });

  it('safe/one-time that was used says so, and how to get another', async () => {
    const rig = startShellRig({}, { hasKey: false });
    await rig.settle();
    const address = oneTimeFragment(rig.server.credentials.run(), Date.now());
    location.hash = address;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await rig.connect();
    expect(all('alert')).toEqual([]);

    // As in another browser.
    rig.exchange.end().drop(4401);
    rig.keys.saved.length = 0;
    location.hash = address;
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await rig.connect();
    expect(one('alert').textContent).toContain('has been used or has expired');
    expect(one('alert').textContent).toContain('liminal-builder');
  });
});

describe('safe/port-taken another program', () => {
  it.each([
    ['answers with a wrong proof', { type: 'hello', nonce: 'B'.repeat(43), proof: 'B'.repeat(43) }],
    ['accepts without a proof', { type: 'auth:ok' }],
    ['answers with something else', 'welcome'],
  ])('that %s is reported, and nothing but a nonce was sent to it', async (_name, answer) => {
    const rig = startShellRig();
    await rig.settle();
    const stranger = createStranger(rig.exchange.end(), answer);
    await rig.settle();
    expect(one('alert').textContent).toContain(STRANGER);
    expect(stranger.heard()).toEqual([{ type: 'hello', nonce: expect.stringMatching(/^[\w-]{43}$/), by: 'key' }]);
    rig.timers.advance(60_000);
    window.dispatchEvent(new Event('online'));
    expect(rig.exchange.ends).toHaveLength(1);
    expect(rig.calls).toEqual([]);
  });

  it('that repeats our own nonce and a proof it heard before is reported', async () => {
    const rig = startShellRig();
    await rig.connect();
    const [hello, proof] = rig.exchange.end().sent;
    rig.exchange.end().drop();
    rig.timers.advance(250);
    const stranger = createStranger(rig.exchange.end(), (sent: { nonce?: unknown }) => ({
      type: 'hello',
      nonce: sent.nonce,
      proof: proof?.proof,
    }));
    await rig.settle();
    expect(one('alert').textContent).toContain(STRANGER);
    expect(stranger.heard()).toHaveLength(1);
    expect(stranger.heard()[0]?.nonce).not.toBe(hello?.nonce);
  });

  it('that knows no sockets is found by what it answers over HTTP', async () => {
    const rig = startShellRig();
    await rig.settle();
    rig.answers.set('/api/health', () => ({ status: 200, body: { hello: 'I am a development server' } }));
    rig.exchange.end().drop();
    await rig.settle();
    expect(one('alert').textContent).toContain(STRANGER);
    expect(rig.calls).toEqual([{ method: 'GET', path: '/api/health', body: undefined, authorization: null }]);
  });

  it.each([
    ['answers nothing', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['is starting or stopping', () => new Response('', { status: 503 })],
  ])('is not suspected while the server %s', async (_name, answer) => {
    const rig = startShellRig();
    await rig.settle();
    rig.network.answer = answer;
    rig.exchange.end().drop();
    await rig.settle();
    expect(all('alert')).toEqual([]);
    rig.timers.advance(250);
    expect(rig.exchange.ends).toHaveLength(2);
  });

  it('is not suspected when a server stops in the middle of a handshake', async () => {
    const rig = startShellRig();
    await rig.settle();
    rig.exchange.end().accept();
    rig.exchange.end().drop(1001);
    await rig.settle();
    expect(all('alert')).toEqual([]);
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.root.textContent).toContain('Server connected');
  });

  it('is left behind with a button, which tries again', async () => {
    const rig = startShellRig();
    await rig.settle();
    createStranger(rig.exchange.end(), { type: 'auth:ok' });
    await rig.settle();
    one('button', 'Try again').click();
    await rig.connect();
    expect(all('alert')).toEqual([]);
    expect(rig.root.textContent).toContain('Server connected');
  });
});

describe('a lost connection', () => {
  it('is shown with a button to reconnect at once', async () => {
    const { rig } = await twoTabs();
    expect(all('button', 'Reconnect')).toEqual([]);
    rig.exchange.end().drop();
    expect(rig.root.querySelector('.connection-chip')?.textContent).toContain('Connection lost');
    one('button', 'Reconnect').click();
    expect(rig.exchange.ends).toHaveLength(2);
    await rig.connect();
    expect(all('button', 'Reconnect')).toEqual([]);
    expect(rig.root.textContent).toContain('Server connected');
  });

  it('is followed by new requests and subscriptions', async () => {
    const { rig, a, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.sent('project:list')).toHaveLength(1);
    expect(rig.sent('session:list-all')).toHaveLength(1);
    expect(rig.sent('session:subscribe').map(({ sessionId }) => sessionId)).toEqual([b.id, a.id]);
  });

  it('is followed by a subscription to the active session before anything else', async () => {
    const { rig, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.exchange.end().sent[2]).toMatchObject({ type: 'session:subscribe', sessionId: b.id });
  });

  it('does not make a restarted server load hidden sessions before they are selected', async () => {
    const { rig, a, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.data.sessions = [a, b].map((session) => ({ ...session, state: 'closed' as const }));
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.sent('session:subscribe')).toMatchObject([{ sessionId: b.id }]);
    one('tab', 'A').click();
    expect(rig.sent('session:subscribe').at(-1)).toMatchObject({ sessionId: a.id });
  });

  it('is followed by what changed meanwhile, and tabs of removed sessions are closed', async () => {
    const { rig, a, b } = await twoTabs();
    rig.exchange.end().drop();
    const other = projectOf('other');
    rig.data.projects.push(other);
    rig.data.sessions = [{ ...a, title: 'A renamed' }, sessionOf(other, 'C')];
    rig.timers.advance(250);
    await rig.connect();
    expect(all('tab').map(nameOf)).toEqual(['A renamed']);
    expect(all('button', new RegExp(`^${b.title} `))).toEqual([]);
    row('C');
  });

  it('does not close tabs if a list could not be read', async () => {
    const project = projectOf('api');
    const { id } = sessionOf(project, 'A');
    localStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: [id], activeTab: id, tabOrder: [id] }));
    const rig = startShellRig({ projects: [project], listsFail: true });
    await rig.connect();
    expect(all('tab')).toHaveLength(1);
    rig.data.listsFail = false;
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
    expect(all('tab')).toEqual([]);
  });

  it('is retried at once when the window becomes visible or is online again', async () => {
    const { rig } = await twoTabs();
    rig.exchange.end().drop();
    window.dispatchEvent(new Event('online'));
    expect(rig.exchange.ends).toHaveLength(2);
    rig.exchange.end().drop();
    document.dispatchEvent(new Event('visibilitychange'));
    expect(rig.exchange.ends).toHaveLength(3);
  });
});

describe('agents', () => {
  const status = (label: string) =>
    [...document.querySelectorAll('.status-agents li')].find((item) => item.textContent?.startsWith(label));

  it('show their status, and a disconnected one can be restarted', async () => {
    const rig = startShellRig();
    await rig.connect();
    expect(status('Codex')?.textContent).toBe('Codex: ready, not running');
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'connected' });
    expect(status('Codex')?.textContent).toBe('Codex: running');
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'disconnected', message: 'It ended.' });
    expect((status('Codex') as HTMLElement).title).toBe('Codex: disconnected. It ended.');
    one('button', 'Reconnect').click();
    expect(rig.sent('session:reconnect')).toMatchObject([{ cliType: 'codex' }]);
  });

  it('with a process per session are running if one of the processes is', async () => {
    const rig = startShellRig();
    await rig.connect();
    rig.say({ type: 'agent:status', cliType: 'claude-code', sessionId: 'claude-code:1', status: 'disconnected' });
    expect(status('Claude')?.textContent).toBe('Claude Code: ready, not running');
    rig.say({ type: 'agent:status', cliType: 'claude-code', sessionId: 'claude-code:2', status: 'connected' });
    expect(status('Claude')?.textContent).toBe('Claude Code: running');
  });

  it('are listed with what to do if none is available', async () => {
    const providers = [{ cliType: 'codex', label: 'Codex', available: false, reason: 'Install it first.' }];
    const rig = startShellRig({ projects: [projectOf('api')], providers });
    await rig.connect();
    one('heading', 'No agent is ready');
    expect(rig.root.querySelector('.missing')?.textContent).toBe('CodexInstall it first.');
  });

  it('can be checked again after they were missing, and then used', async () => {
    const missing = { cliType: 'codex', label: 'Codex', available: false, reason: 'Install it first.' };
    const rig = startShellRig({ projects: [projectOf('api')], providers: [missing] });
    await rig.connect();
    const check = one('button', 'Check again');
    check.click();
    expect(nameOf(check)).toBe('Checking…');
    await rig.settle();
    expect(nameOf(check)).toBe('Check again');
    rig.data.providers = [{ cliType: 'codex', label: 'Codex', available: true }];
    check.click();
    await rig.settle();
    one('heading', 'Nothing in api yet');
    one('button', 'New session');
  });

  it('have an unknown status while disconnected', async () => {
    const rig = startShellRig();
    await rig.connect();
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'connected' });
    rig.exchange.end().drop();
    expect(status('Codex')?.textContent).toBe('Codex: unknown while disconnected from the server');
    expect(status('Codex')?.querySelector('.dot-idle')).not.toBeNull();
  });
});

describe('the demo banner', () => {
  it.each([true, false])('is visible: %s', async (demo) => {
    const rig = startShellRig({ demo });
    await rig.connect();
    expect(rig.root.querySelector<HTMLElement>('.demo')?.hidden).toBe(!demo);
  });
});
