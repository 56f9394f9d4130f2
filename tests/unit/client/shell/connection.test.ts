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

describe('without a token', () => {
  it('the page says where to get it and opens no socket', () => {
    const rig = startShellRig({}, { token: null });
    one('heading', 'Open the address the server printed');
    expect(rig.exchange.ends).toEqual([]);
  });

  it('a token that the server refuses leads to the same page', async () => {
    const rig = startShellRig();
    rig.exchange.end().accept();
    rig.exchange.end().drop(4401);
    one('heading', 'Open the address the server printed');
    expect(rig.root.classList.contains('is-locked')).toBe(true);
  });

  it('so does a refusal over HTTP, and the socket stops', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    rig.answers.set('/api/session/create', () => ({ status: 401, body: { code: 'UNAUTHORIZED', message: 'No.' } }));
    one('button', 'New session in api').click();
    one('menuitem', 'Codex').click();
    await rig.settle();
    one('heading', 'Open the address the server printed');
    expect(rig.exchange.end().closedByPage()).toBe(true);
  });

  it('opening the printed address in the same window lets it in', async () => {
    const rig = startShellRig({}, { token: null });
    location.hash = '#token=from-the-terminal';
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    rig.exchange.end().accept();
    expect(rig.exchange.end().sent[0]).toEqual({ type: 'auth', token: 'from-the-terminal' });
    expect(location.hash).toBe('');
    expect(all('heading', 'Open the address the server printed')).toEqual([]);
  });
});

describe('after a lost connection', () => {
  it('the page says so, and lets one try at once', async () => {
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

  it('asks for everything again and follows its sessions anew', async () => {
    const { rig, project, a, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.sent('project:list')).toHaveLength(1);
    expect(rig.sent('session:list')).toMatchObject([{ projectId: project.id }]);
    expect(rig.sent('session:subscribe').map(({ sessionId }) => sessionId)).toEqual([b.id, a.id]);
  });

  it('follows the active session before it asks for anything else', async () => {
    const { rig, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.exchange.end().sent[1]).toEqual({ type: 'session:subscribe', sessionId: b.id });
  });

  it('does not load hidden sessions that a restarted server has not open; they load when they are chosen', async () => {
    const { rig, a, b } = await twoTabs();
    rig.exchange.end().drop();
    rig.data.sessions = [a, b].map((session) => ({ ...session, state: 'closed' as const }));
    rig.timers.advance(250);
    await rig.connect();
    expect(rig.sent('session:subscribe')).toMatchObject([{ sessionId: b.id }]);
    one('tab', 'A').click();
    expect(rig.sent('session:subscribe').at(-1)).toMatchObject({ sessionId: a.id });
  });

  it('shows what changed meanwhile and closes tabs of sessions that are gone', async () => {
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

  it('closes no tab when a list could not be read', async () => {
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

  it('coming back to the window or online again tries at once', async () => {
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

  it('show how they stand, and a disconnected one can be started again', async () => {
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

  it('with a process per session count as running when one of them is', async () => {
    const rig = startShellRig();
    await rig.connect();
    rig.say({ type: 'agent:status', cliType: 'claude-code', sessionId: 'claude-code:1', status: 'disconnected' });
    expect(status('Claude')?.textContent).toBe('Claude Code: ready, not running');
    rig.say({ type: 'agent:status', cliType: 'claude-code', sessionId: 'claude-code:2', status: 'connected' });
    expect(status('Claude')?.textContent).toBe('Claude Code: running');
  });

  it('none of which is ready are named with what to do', async () => {
    const providers = [{ cliType: 'codex', label: 'Codex', available: false, reason: 'Install it first.' }];
    const rig = startShellRig({ projects: [projectOf('api')], providers });
    await rig.connect();
    one('heading', 'No agent is ready');
    expect(rig.root.querySelector('.missing')?.textContent).toBe('CodexInstall it first.');
  });

  it('that were missing are looked for again, and then a session can be started', async () => {
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

  it('are not said to run while the server is out of reach', async () => {
    const rig = startShellRig();
    await rig.connect();
    rig.say({ type: 'agent:status', cliType: 'codex', status: 'connected' });
    rig.exchange.end().drop();
    expect(status('Codex')?.textContent).toBe('Codex: unknown while disconnected from the server');
    expect(status('Codex')?.querySelector('.dot-idle')).not.toBeNull();
  });
});

describe('the demo', () => {
  it.each([true, false])('is announced: %s', async (demo) => {
    const rig = startShellRig({ demo });
    await rig.connect();
    expect(rig.root.querySelector<HTMLElement>('.demo')?.hidden).toBe(!demo);
  });
});
