import { describe, expect, it, vi } from 'vitest';
import { all, isShown, nameOf, one, type } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const titles = () =>
  [...document.querySelectorAll('.session .row-title')].filter(isShown).map((title) => title.textContent);
const row = (title: string) => one('button', new RegExp(`^${title} `));

describe('projects', () => {
  it('mvp/TC-1.1b are missing at first, and the page says what to do', async () => {
    const rig = startShellRig();
    await rig.connect();
    expect(rig.root.textContent).toContain('No projects yet. Add a directory you work in.');
    expect(nameOf(one('heading', 'Start with a project'))).toBeTruthy();
    one('button', 'Add project');
  });

  it('are not mentioned before the server has sent them', () => {
    const rig = startShellRig();
    expect(rig.root.textContent).not.toContain('No projects yet');
  });

  it('keep the order in which they were added', async () => {
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

  it('mvp/TC-1.3a have their earlier sessions when they are added again', async () => {
    const project = projectOf('api');
    const rig = startShellRig({ sessions: [sessionOf(project, 'From before')] });
    await rig.connect();
    rig.say({ type: 'project:added', project });
    await rig.settle();
    one('button', /^From before /);
  });

  it('mvp/TC-1.2c are not added when the dialog is cancelled', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    await vi.dynamicImportSettled();
    const dialog = one('dialog', 'Add project');
    type(one('textbox', 'Project path', dialog), '/tmp');
    one('button', 'Cancel', dialog).click();
    expect(all('dialog', 'Add project')).toEqual([]);
    expect(rig.sent('project:add')).toEqual([]);
  });

  it('are added by path and then focused', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    await vi.dynamicImportSettled();
    type(one('textbox', 'Project path'), '/home/me/api/');
    one('button', 'Add').click();
    const [request] = rig.sent('project:add');
    expect(request).toMatchObject({ path: '/home/me/api' });
    rig.say({ type: 'project:added', requestId: request?.requestId, project: projectOf('api') });
    await rig.settle();
    expect(all('dialog', 'Add project')).toEqual([]);
    expect(nameOf(document.activeElement as Element)).toContain('api');
  });

  it('show in the dialog why they were not added, and the path stays', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    await vi.dynamicImportSettled();
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
    expect(document.querySelector('.options')?.textContent).toContain('No directory starts with this.');
    expect(document.querySelector<HTMLElement>('.options-none')?.hidden).toBe(false);
  });

  it('are removed only after a confirmation that mentions open tabs', async () => {
    const project = projectOf('api');
    const sessions = [sessionOf(project, 'One'), sessionOf(project, 'Two')];
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    row('One').click();
    one('button', 'Remove api').click();
    const dialog = one('dialog', 'Remove api?');
    expect(dialog.textContent).toContain('One open tab will close.');
    one('button', 'Cancel', dialog).click();
    await rig.settle();
    expect(rig.sent('project:remove')).toEqual([]);
  });

  it('close their tabs when they are removed', async () => {
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

  it('mvp/TC-1.4a hide their sessions and show the number of them when collapsed', async () => {
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

  it('mvp/TC-1.4b stay collapsed after a restart', async () => {
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
