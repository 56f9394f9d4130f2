import { describe, expect, it, vi } from 'vitest';
import { findHidden, hiddenName } from '../../../support/hostile/hidden-characters.ts';
import { all, one, type } from './rig/page.ts';
import { projectOf, type ShellRig, sessionOf, startShellRig } from './rig/shell-rig.ts';

const project = { ...projectOf('x'), name: hiddenName('Project'), path: `/home/me/${hiddenName('path')}` };
const running = sessionOf(project, hiddenName('Title'), { running: true, state: 'open' });
const failed = sessionOf(project, hiddenName('Other'), { failed: true, cliType: 'codex' });
const agents = [
  { cliType: 'claude-code', label: hiddenName('Agent'), available: true },
  { cliType: 'codex', label: hiddenName('Missing'), available: false, reason: hiddenName('Reason') },
];

async function start(changes: Parameters<typeof startShellRig>[0] = {}): Promise<ShellRig> {
  const rig = startShellRig({ projects: [project], sessions: [running, failed], providers: agents, ...changes });
  await rig.connect();
  await rig.settle();
  return rig;
}

/** The names appear with their hidden characters written out, and nowhere as they are. */
function expectVisible(...words: string[]): void {
  expect(findHidden(document)).toEqual([]);
  const shown = document.documentElement.outerHTML;
  for (const word of words) expect(shown).toContain(`${word}⟨U+202E⟩`);
}

const buttonOf = (name: RegExp): HTMLElement => one('button', name);

describe('safe/visible hidden characters are written out', () => {
  it('in the sidebar, its tooltips, the status bar and the empty state', async () => {
    await start();
    expectVisible('Project', 'path', 'Title', 'Other', 'Agent', 'Missing', 'Reason');
    expect(one('heading', 'No session is open').parentElement?.textContent).toContain('Project⟨U+202E⟩');
  });

  it('in the empty states that name a project or an agent', async () => {
    const rig = await start({ sessions: [] });
    expect(one('heading', /^Nothing in Project⟨U\+202E⟩/)).toBeTruthy();
    one('button', 'New session').click();
    one('menuitem', /^Agent/).click();
    expectVisible('Agent');
    expect(one('heading', /^Starting Agent⟨U\+202E⟩/)).toBeTruthy();
    rig.say({ type: 'project:removed', projectId: project.id });
    expectVisible('Agent');
    await rig.settle();
  });

  it('in the list of agents that are not ready', async () => {
    await start({ sessions: [], providers: agents.map((agent) => ({ ...agent, available: false })) });
    one('heading', 'No agent is ready');
    expectVisible('Agent', 'Missing', 'Reason');
  });

  it('in tabs, the menu of tabs, the frame of a session and the title of the page', async () => {
    const rig = await start();
    for (const row of document.querySelectorAll<HTMLElement>('.session > .row')) row.click();
    await rig.settle();
    expect(document.title).toContain('⟨U+202E⟩');
    expect(rig.frame(failed.id).title).toContain('⟨U+202E⟩');
    document.querySelector<HTMLElement>('.tab-all')?.click();
    expect(all('menuitemradio')).toHaveLength(2);
    expectVisible('Title', 'Other');
  });

  it('in the agent picker', async () => {
    const rig = await start();
    buttonOf(/^New session in Project/).click();
    await rig.settle();
    expect(all('menuitem')).toHaveLength(2);
    expectVisible('Agent', 'Missing', 'Reason');
  });

  it('in questions and notices', async () => {
    const rig = await start();
    buttonOf(/^Remove Project/).click();
    expectVisible('Project');
    one('button', 'Cancel', one('dialog', /^Remove Project/)).click();
    document.querySelector<HTMLElement>('.session [data-action=archive]')?.click();
    await rig.settle();
    const question = one('dialog', 'Archive a running session?');
    expect(question.textContent).toContain('Title⟨U+202E⟩');
    one('button', 'Archive', question).click();
    await rig.settle();
    rig.say({ type: 'error', code: 'INTERNAL_ERROR', message: hiddenName('Message') });
    rig.say({ type: 'error', code: 'INTERNAL_ERROR', message: hiddenName('Message') });
    expect(document.querySelectorAll('.notice-error')).toHaveLength(1);
    expectVisible('Message');
  });

  it('in the status of an agent that ended', async () => {
    const rig = await start();
    rig.say({ type: 'agent:status', cliType: 'claude-code', status: 'disconnected', message: hiddenName('Message') });
    expectVisible('Message');
    expect(one('button', 'Reconnect').title).toContain('Agent⟨U+202E⟩');
  });

  it('in completed paths and in the reason why a path was refused, but not in the path that is sent', async () => {
    const rig = await start();
    const directory = `/home/${hiddenName('dir')}`;
    rig.answers.set('/api/directories?prefix=%2Fhome', () => ({
      status: 200,
      body: { directories: [directory], truncated: false },
    }));
    one('button', 'Add project').click();
    await vi.dynamicImportSettled();
    type(one('textbox', 'Project path'), '/home');
    await rig.settle();
    const [option] = all('option');
    expect(option?.textContent).toContain('dir⟨U+202E⟩');
    option?.dispatchEvent(new Event('mousedown', { bubbles: true, cancelable: true }));
    one('button', 'Add').click();
    const [request] = rig.sent('project:add');
    expect(request).toMatchObject({ path: directory });
    const message = `There is no directory ${hiddenName('refused')}.`;
    rig.say({ type: 'error', requestId: request?.requestId, code: 'PROJECT_PATH_INVALID', message });
    await rig.settle();
    expectVisible('refused');
  });

  it('in the filter that matches nothing', async () => {
    await start();
    const filter = document.querySelector<HTMLElement>('.filter');
    if (filter !== null) type(filter, hiddenName('Filter'));
    expect(document.querySelector('.sidebar-empty')?.textContent).toContain('Filter⟨U+202E⟩');
    expectVisible();
  });
});
