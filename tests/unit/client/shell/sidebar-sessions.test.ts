import { describe, expect, it } from 'vitest';
import { openTabs } from './rig/open-tabs.ts';
import { all, isShown, nameOf, one, press } from './rig/page.ts';
import { bothAgents, projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const titles = () =>
  [...document.querySelectorAll('.session .row-title')].filter(isShown).map((title) => title.textContent);
const row = (title: string) => one('button', new RegExp(`^${title} `));

describe('sessions', () => {
  it('are sorted by last activity and show their age', async () => {
    const project = projectOf('api');
    const old = sessionOf(project, 'Old', { minutesAgo: 180 });
    const rig = startShellRig({ projects: [project], sessions: [old, sessionOf(project, 'New', { minutesAgo: 2 })] });
    await rig.connect();
    expect(titles()).toEqual(['New', 'Old']);
    expect([...document.querySelectorAll('time')].map((time) => time.textContent)).toEqual(['2 m', '3 h']);
    rig.say({
      type: 'session:changed',
      sessionId: old.id,
      session: { ...old, lastActiveAt: '2026-03-01T12:00:00.000Z' },
    });
    expect(titles()).toEqual(['Old', 'New']);
  });

  it('are limited to the newest 30 until more are requested', async () => {
    const project = projectOf('api');
    const sessions = Array.from({ length: 35 }, (_, index) => sessionOf(project, `S${index}`, { minutesAgo: index }));
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    expect(titles()).toHaveLength(30);
    one('button', 'Show 5 more').click();
    expect(titles()).toHaveLength(35);
  });

  it('engine/background-live page: show the running sign while work goes on in the background', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One', { background: 1 });
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    const change = (changes: object) =>
      rig.say({ type: 'session:changed', sessionId: session.id, session: { ...session, ...changes } });
    const isRunning = () => row('One').querySelector('.status-running') !== null;
    expect(nameOf(row('One'))).toBe('One Claude Code, 1 task in the background 5 m');
    expect(isRunning()).toBe(true);
    change({ background: 3, running: true });
    expect(nameOf(row('One'))).toContain('running, 3 tasks in the background');
    change({ background: 3 });
    expect(isRunning()).toBe(true);
    change({ background: 0 });
    expect(isRunning()).toBe(false);
    expect(nameOf(row('One'))).toContain('finished, not seen yet');
  });

  it('engine/background-live page: show it in their tab as well', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One', { background: 2 });
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    row('One').click();
    const tab = one('tab', 'One');
    expect(tab.querySelector('.status-running')).not.toBeNull();
    const facts = document.getElementById(tab.getAttribute('aria-describedby') ?? '');
    expect(facts?.textContent).toBe('Claude Code, 2 tasks in the background');
  });

  it('include the agent and the status in their accessible name', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One', { cliType: 'codex', running: true });
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    expect(nameOf(row('One'))).toBe('One Codex, running 5 m');
  });

  it('are marked when they finish out of sight, until they are opened', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One', { running: true });
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    rig.say({ type: 'session:changed', sessionId: session.id, session: { ...session, running: false } });
    expect(nameOf(row('One'))).toContain('finished, not seen yet');
    expect(document.title).toBe('(1) Liminal Builder');
    row('One').click();
    expect(nameOf(row('One'))).toBe('One Claude Code 5 m');
    expect(document.title).toBe('One – Liminal Builder');
  });

  it('show a failure, whether they are open in this window or not', async () => {
    const project = projectOf('api');
    const sessions = [sessionOf(project, 'One', { failed: true }), sessionOf(project, 'Two', { running: true })];
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    expect(nameOf(row('One'))).toBe('One Claude Code, ended with an error 5 m');
    const two = { ...sessions[1], running: false, failed: true };
    rig.say({ type: 'session:changed', sessionId: two.id, session: two });
    expect(nameOf(row('Two'))).toBe('Two Claude Code, ended with an error 5 m');
    expect(row('Two').querySelector('.status-error')).not.toBeNull();
  });

  it('mvp/TC-2.2b offer the agents by label when one is created', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    one('button', 'New session in api').click();
    expect(all('menuitem').map(nameOf)).toEqual(['Claude Code', 'Codex']);
    expect(nameOf(document.activeElement as Element)).toBe('Claude Code');
  });

  it('appear in the list while they start, and the focus stays on the button', async () => {
    const project = projectOf('api');
    const rig = startShellRig({ projects: [project] });
    await rig.connect();
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Not today.' };
    rig.answers.set('/api/session/create', () => ({ status: 503, body: error }));
    const button = one('button', 'New session');
    button.click();
    one('menuitem', 'Codex').click();
    one('heading', 'Starting Codex…');
    expect(document.activeElement).toBe(button);
    expect(all('status').map(({ textContent }) => textContent)).toContain('Starting Codex');
    await rig.settle();
    one('heading', 'Nothing in api yet');
  });

  it('show a spinner in the tab bar while they start', async () => {
    const { rig } = await openTabs('A');
    const error = { code: 'AGENT_UNAVAILABLE', message: 'Not today.' };
    rig.answers.set('/api/session/create', () => ({ status: 503, body: error }));
    const button = one('button', 'New session');
    button.click();
    one('menuitem', 'Codex').click();
    expect(button.querySelector('.status-running')).not.toBeNull();
    expect(button.getAttribute('aria-busy')).toBe('true');
    await rig.settle();
    expect(button.querySelector('.status-running')).toBeNull();
    expect(button.hasAttribute('aria-busy')).toBe(false);
  });

  it('mvp/TC-2.2c are not created when the agent picker is closed, and the focus returns', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    const button = one('button', 'New session in api');
    button.click();
    press('Escape');
    expect(all('menuitem')).toEqual([]);
    expect(document.activeElement).toBe(button);
    expect(rig.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('cannot be created with a missing agent, which is listed with what to do', async () => {
    const providers = [
      ...bothAgents.slice(0, 1),
      { cliType: 'codex', label: 'Codex', available: false, reason: 'Install it first.' },
    ];
    const rig = startShellRig({ projects: [projectOf('api')], providers });
    await rig.connect();
    one('button', 'New session in api').click();
    const entry = one('menuitem', 'Codex');
    expect(entry.getAttribute('aria-disabled')).toBe('true');
    expect(document.getElementById(entry.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Install it first.',
    );
    entry.click();
    expect(rig.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('can be created with an agent that was installed in the meantime, without a reload', async () => {
    const missing = bothAgents.map((agent) => ({ ...agent, available: false }));
    const rig = startShellRig({ projects: [projectOf('api')], providers: missing });
    await rig.connect();
    rig.data.providers = bothAgents;
    one('button', 'New session in api').click();
    await rig.settle();
    expect(one('menuitem', 'Codex').hasAttribute('aria-disabled')).toBe(false);
  });

  it('are created with the chosen agent and open in a tab', async () => {
    const project = projectOf('api');
    const rig = startShellRig({ projects: [project] });
    await rig.connect();
    const session = sessionOf(project, 'New Session', { state: 'open' });
    rig.answers.set('/api/session/create', () => ({
      status: 201,
      body: { sessionId: session.id, cliType: 'claude-code', projectId: project.id, session },
    }));
    one('button', 'New session').click();
    one('menuitem', 'Claude Code').click();
    expect(rig.root.textContent).toContain('Starting Claude Code…');
    await rig.settle();
    expect(rig.calls.find(({ path }) => path === '/api/session/create')?.body).toEqual({
      cliType: 'claude-code',
      projectId: project.id,
      ask: true,
    });
    expect(all('tab').map(nameOf)).toEqual(['New Session']);
    expect(rig.root.textContent).not.toContain('Starting Claude Code…');
  });

  it('show the reason if they cannot be created', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    rig.answers.set('/api/session/create', () => ({
      status: 503,
      body: { code: 'AGENT_NOT_SIGNED_IN', message: 'Sign in with claude, then try again.' },
    }));
    one('button', 'New session in api').click();
    one('menuitem', 'Claude Code').click();
    await rig.settle();
    expect(one('alert').textContent).toBe(
      'Could not start a session with Claude Code. Sign in with claude, then try again.',
    );
  });

  it('mvp/TC-2.4b close their tab when they are archived', async () => {
    const project = projectOf('api');
    const sessions = [sessionOf(project, 'One', { minutesAgo: 1 }), sessionOf(project, 'Two')];
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    row('One').click();
    row('Two').click();
    all('button', 'Archive')[0]?.click();
    await rig.settle();
    expect(rig.calls.at(-1)).toMatchObject({
      method: 'POST',
      path: `/api/session/${encodeURIComponent(sessions[0]?.id ?? '')}/archive`,
    });
    expect(titles()).toEqual(['Two']);
    expect(all('tab').map(nameOf)).toEqual(['Two']);
  });

  it('close their tab when they are archived in another window', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One');
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    row('One').click();
    rig.say({ type: 'session:archived', sessionId: session.id });
    expect(all('tab')).toEqual([]);
    expect(titles()).toEqual([]);
  });

  it.each([
    ['a turn', { running: true }],
    ['background work', { background: 1 }],
  ])('ask for confirmation before they are archived only while they run: %s', async (_, working) => {
    const project = projectOf('api');
    const rig = startShellRig({ projects: [project], sessions: [sessionOf(project, 'One', working)] });
    await rig.connect();
    one('button', 'Archive').click();
    one('button', 'Cancel', one('dialog', 'Archive a running session?')).click();
    await rig.settle();
    expect(titles()).toEqual(['One']);
    one('button', 'Archive').click();
    one('button', 'Archive', one('dialog', 'Archive a running session?')).click();
    await rig.settle();
    expect(titles()).toEqual([]);
  });
});
