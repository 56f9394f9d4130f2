import { describe, expect, it } from 'vitest';
import { all, isShown, nameOf, one, press, type } from './rig/page.ts';
import { bothAgents, projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const titles = () =>
  [...document.querySelectorAll('.session .row-title')].filter(isShown).map((title) => title.textContent);
const row = (title: string) => one('button', new RegExp(`^${title} `));

describe('projects', () => {
  it('mvp/TC-1.1b without a project the page says so and what to do', async () => {
    const rig = startShellRig();
    await rig.connect();
    expect(rig.root.textContent).toContain('No projects yet. Add a directory you work in.');
    expect(nameOf(one('heading', 'Start with a project'))).toBeTruthy();
    one('button', 'Add project');
  });

  it('shows nothing about projects before the server has told them', () => {
    const rig = startShellRig();
    expect(rig.root.textContent).not.toContain('No projects yet');
  });

  it('keeps the order in which projects were added', async () => {
    const projects = [projectOf('zebra'), projectOf('apple')];
    const rig = startShellRig({ projects });
    await rig.connect();
    rig.say({ type: 'project:added', project: projectOf('mango') });
    expect([...document.querySelectorAll('.project-row .row-title')].map((name) => name.textContent)).toEqual([
      'zebra',
      'apple',
      'mango',
    ]);
  });

  it('mvp/TC-1.2c cancelling the dialog sends nothing', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    const dialog = one('dialog', 'Add project');
    type(one('textbox', 'Project path', dialog), '/tmp');
    one('button', 'Cancel', dialog).click();
    expect(all('dialog', 'Add project')).toEqual([]);
    expect(rig.sent('project:add')).toEqual([]);
  });

  it('adds the directory that was entered and goes to it', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    type(one('textbox', 'Project path'), '/home/me/api/');
    one('button', 'Add').click();
    const [request] = rig.sent('project:add');
    expect(request).toMatchObject({ path: '/home/me/api' });
    rig.say({ type: 'project:added', requestId: request?.requestId, project: projectOf('api') });
    await rig.settle();
    expect(all('dialog', 'Add project')).toEqual([]);
    expect(nameOf(document.activeElement as Element)).toContain('api');
  });

  it('shows in the dialog why a directory was not added, and keeps what was entered', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    const input = one('textbox', 'Project path') as HTMLInputElement;
    type(input, '/nowhere');
    one('button', 'Add').click();
    rig.say({
      type: 'error',
      requestId: rig.sent('project:add')[0]?.requestId,
      code: 'PROJECT_PATH_INVALID',
      message: 'Enter an existing directory.',
    });
    await rig.settle();
    expect(one('alert', undefined, one('dialog', 'Add project')).textContent).toBe('Enter an existing directory.');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(input.value).toBe('/nowhere');
    expect(document.activeElement).toBe(input);
  });

  it('asks before it removes a project, and says what happens to its tabs', async () => {
    const project = projectOf('api');
    const sessions = [sessionOf(project, 'One'), sessionOf(project, 'Two')];
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    row('One').click();
    one('button', 'Remove api').click();
    const dialog = one('dialog', 'Remove api?');
    expect(dialog.textContent).toContain('One open tab closes.');
    one('button', 'Cancel', dialog).click();
    await rig.settle();
    expect(rig.sent('project:remove')).toEqual([]);
  });

  it('closes the tabs of a removed project', async () => {
    const [gone, stays] = [projectOf('gone'), projectOf('stays')];
    const sessions = [sessionOf(gone, 'One'), sessionOf(stays, 'Two')];
    const rig = startShellRig({ projects: [gone, stays], sessions });
    await rig.connect();
    row('One').click();
    row('Two').click();
    one('button', 'Remove gone').click();
    one('button', 'Remove', one('dialog', 'Remove gone?')).click();
    await rig.settle();
    expect(rig.sent('project:remove')).toMatchObject([{ projectId: gone.id }]);
    expect(all('tab').map(nameOf)).toEqual(['Two']);
    expect(titles()).toEqual(['Two']);
  });

  it('mvp/TC-1.4a collapsing a project hides its sessions and shows how many there are', async () => {
    const project = projectOf('api');
    const rig = startShellRig({
      projects: [project],
      sessions: [sessionOf(project, 'One'), sessionOf(project, 'Two')],
    });
    await rig.connect();
    expect(titles()).toEqual(['One', 'Two']);
    const toggle = one('button', 'api');
    toggle.click();
    expect(titles()).toEqual([]);
    expect(toggle.getAttribute('aria-expanded')).toBe('false');
    expect(nameOf(toggle)).toBe('api 2 sessions');
  });

  it('mvp/TC-1.4b a collapsed project is collapsed after a restart', async () => {
    const project = projectOf('api');
    localStorage.setItem('liminal:collapsed', JSON.stringify({ [project.id]: true }));
    const rig = startShellRig({ projects: [project], sessions: [sessionOf(project, 'One')] });
    await rig.connect();
    expect(titles()).toEqual([]);
    one('button', 'api 1 session').click();
    expect(titles()).toEqual(['One']);
    expect(JSON.parse(localStorage.getItem('liminal:collapsed') ?? '')).toEqual({ [project.id]: false });
  });
});

describe('sessions', () => {
  it('are listed newest activity first, with their age', async () => {
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

  it('show the newest 20 and the rest when asked', async () => {
    const project = projectOf('api');
    const sessions = Array.from({ length: 25 }, (_, index) => sessionOf(project, `S${index}`, { minutesAgo: index }));
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    expect(titles()).toHaveLength(20);
    one('button', 'Show all 25').click();
    expect(titles()).toHaveLength(25);
  });

  it('say in their name which agent they belong to and whether they run', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One', { cliType: 'codex', running: true });
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    expect(nameOf(row('One'))).toBe('One Codex, running 5 m');
  });

  it('that finish unseen ask for attention until they are looked at', async () => {
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

  it('mvp/TC-2.2b a new session offers the agents by their labels', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    one('button', 'New session in api').click();
    expect(all('menuitem').map(nameOf)).toEqual(['Claude Code', 'Codex']);
    expect(nameOf(document.activeElement as Element)).toBe('Claude Code');
  });

  it('mvp/TC-2.2c closing the agent picker creates nothing and gives the focus back', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    const button = one('button', 'New session in api');
    button.click();
    press('Escape');
    expect(all('menuitem')).toEqual([]);
    expect(document.activeElement).toBe(button);
    expect(rig.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('show an agent that is missing with what to do, and do not start it', async () => {
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

  it('an agent that was installed meanwhile can be chosen without a reload', async () => {
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
    });
    expect(all('tab').map(nameOf)).toEqual(['New Session']);
    expect(rig.root.textContent).not.toContain('Starting Claude Code…');
  });

  it('that cannot be created say why', async () => {
    const rig = startShellRig({ projects: [projectOf('api')] });
    await rig.connect();
    rig.answers.set('/api/session/create', () => ({
      status: 503,
      body: { code: 'AGENT_NOT_SIGNED_IN', message: 'Sign in with claude, then try again.' },
    }));
    one('button', 'New session in api').click();
    one('menuitem', 'Claude Code').click();
    await rig.settle();
    expect(one('alert').textContent).toBe('Claude Code did not start a session. Sign in with claude, then try again.');
  });

  it('mvp/TC-2.4b archiving closes the tab', async () => {
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

  it('archiving in another window closes the tab in this one', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'One');
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    row('One').click();
    rig.say({ type: 'session:archived', sessionId: session.id });
    expect(all('tab')).toEqual([]);
    expect(titles()).toEqual([]);
  });

  it('archiving asks first only while the session works', async () => {
    const project = projectOf('api');
    const rig = startShellRig({ projects: [project], sessions: [sessionOf(project, 'One', { running: true })] });
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

describe('filter', () => {
  it('shows sessions and projects that hold every word, and opens what was collapsed', async () => {
    const [api, web] = [projectOf('api'), projectOf('web')];
    localStorage.setItem('liminal:collapsed', JSON.stringify({ [web.id]: true }));
    const sessions = [sessionOf(api, 'Fix login'), sessionOf(api, 'Docs'), sessionOf(web, 'Fix the footer')];
    const rig = startShellRig({ projects: [api, web], sessions });
    await rig.connect();
    const filter = document.querySelector('input[type=search]') as HTMLInputElement;
    type(filter, 'FIX');
    expect(titles()).toEqual(['Fix login', 'Fix the footer']);
    type(filter, 'web fix');
    expect(titles()).toEqual(['Fix the footer']);
    type(filter, 'nope');
    expect(rig.root.textContent).toContain('Nothing matches “nope”.');
  });

  it('is reached by Ctrl+K, opens the first match by Enter and is cleared by Escape', async () => {
    const api = projectOf('api');
    const rig = startShellRig({ projects: [api], sessions: [sessionOf(api, 'Fix login'), sessionOf(api, 'Docs')] });
    await rig.connect();
    press('k', { ctrlKey: true });
    const filter = document.activeElement as HTMLInputElement;
    expect(filter.type).toBe('search');
    type(filter, 'docs');
    press('Enter');
    expect(all('tab').map(nameOf)).toEqual(['Docs']);
    press('Escape', {}, filter);
    expect(filter.value).toBe('');
  });
});

describe('keyboard', () => {
  it('moves through projects and sessions with the arrows, as one stop of the Tab key', async () => {
    const [api, web] = [projectOf('api'), projectOf('web')];
    const rig = startShellRig({ projects: [api, web], sessions: [sessionOf(api, 'One'), sessionOf(web, 'Two')] });
    await rig.connect();
    const focused = () => nameOf(document.activeElement as Element);
    one('button', 'api').focus();
    press('ArrowDown');
    expect(focused()).toMatch(/^One/);
    press('ArrowLeft');
    expect(focused()).toBe('api');
    press('ArrowLeft');
    expect(one('button', 'api 1 session').getAttribute('aria-expanded')).toBe('false');
    press('ArrowDown');
    expect(focused()).toBe('web');
    press('End');
    expect(focused()).toMatch(/^Two/);
    const stops = [...document.querySelectorAll<HTMLElement>('.projects button')].filter(
      (button) => isShown(button) && button.tabIndex === 0,
    );
    expect(stops.map(nameOf)).toEqual(['Two Claude Code 5 m', 'Archive']);
  });

  it('archives the session of the row by Delete and keeps the focus in the list', async () => {
    const api = projectOf('api');
    const sessions = [sessionOf(api, 'One', { minutesAgo: 1 }), sessionOf(api, 'Two', { minutesAgo: 2 })];
    const rig = startShellRig({ projects: [api], sessions });
    await rig.connect();
    row('One').focus();
    press('Delete');
    await rig.settle();
    expect(titles()).toEqual(['Two']);
    expect(nameOf(document.activeElement as Element)).toMatch(/^Two/);
  });

  it('keeps the focus on a row that moves up', async () => {
    const api = projectOf('api');
    const old = sessionOf(api, 'Old', { minutesAgo: 60 });
    const rig = startShellRig({ projects: [api], sessions: [old, sessionOf(api, 'New', { minutesAgo: 1 })] });
    await rig.connect();
    row('Old').focus();
    rig.say({
      type: 'session:changed',
      sessionId: old.id,
      session: { ...old, lastActiveAt: '2026-03-01T12:00:00.000Z' },
    });
    expect(nameOf(document.activeElement as Element)).toMatch(/^Old/);
  });
});
