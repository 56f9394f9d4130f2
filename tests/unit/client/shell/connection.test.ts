import { describe, expect, it } from 'vitest';
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

describe('a page without a valid token', () => {
  it('explains where to get one and opens no socket', () => {
    const rig = startShellRig({}, { token: null });
    one('heading', 'Open the address the server printed');
    expect(rig.exchange.ends).toEqual([]);
  });

  it('is shown after the server refuses the token', async () => {
    const rig = startShellRig();
    rig.exchange.end().accept();
    rig.exchange.end().drop(4401);
    one('heading', 'Open the address the server printed');
    expect(rig.root.classList.contains('is-locked')).toBe(true);
  });

  it('is shown after a refusal over HTTP, and the socket is closed', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    rig.answers.set('/api/session/create', () => ({ status: 401, body: { code: 'UNAUTHORIZED', message: 'No.' } }));
    one('button', 'New session in api').click();
    one('menuitem', 'Codex').click();
    await rig.settle();
    one('heading', 'Open the address the server printed');
    expect(rig.exchange.end().closedByPage()).toBe(true);
  });

  it('connects when the address with the token is opened in the same window', async () => {
    const rig = startShellRig({}, { token: null });
    location.hash = '#token=from-the-terminal';
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    rig.exchange.end().accept();
    expect(rig.exchange.end().sent[0]).toEqual({ type: 'auth', token: 'from-the-terminal' });
    expect(location.hash).toBe('');
    expect(all('heading', 'Open the address the server printed')).toEqual([]);
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
    expect(rig.exchange.end().sent[1]).toMatchObject({ type: 'session:subscribe', sessionId: b.id });
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
