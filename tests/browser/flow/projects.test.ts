import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createUser } from '../../support/browser/user.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Add project' });
const pathIn = (page: Page) => dialogOf(page).getByRole('textbox', { name: 'Project path' });
const projects = (page: Page) =>
  page.getByRole('button', { name: /^New session in / }).evaluateAll((all) => all.map((it) => it.ariaLabel));

describe('adding a project', () => {
  it('mvp/TC-1.1b mvp/TC-1.2c is explained on the first page, and a cancelled dialog adds nothing', async () => {
    const rig = await app.start();
    const page = await rig.open();
    const sent: string[] = [];
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    await page.reload();
    await page.getByRole('heading', { name: 'Start with a project' }).waitFor();
    await page.getByText('Start a session there with Claude Code or Codex.').waitFor();
    await page.getByText('Server connected').waitFor();

    await page.getByRole('button', { name: 'Add project', exact: true }).click();
    await pathIn(page).fill(rig.directory);
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    await dialogOf(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Choose a directory' }).click();
    await pathIn(page).waitFor();
    expect(await pathIn(page).inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });

    await page.getByRole('heading', { name: 'Start with a project' }).waitFor();
    expect(sent.join()).toContain('project:list');
    expect(sent.join()).not.toContain('project:add');
  });

  it('mvp/TC-1.2a mvp/TC-1.2b mvp/TC-1.2d mvp/TC-1.1a completes the path and shows below it what is wrong', async () => {
    const rig = await app.start();
    for (const name of ['web-app', 'web-site', 'api']) await mkdir(join(rig.directory, name));
    const page = await rig.open();
    const user = createUser(page);
    const problem = dialogOf(page).getByRole('alert');
    const add = dialogOf(page).getByRole('button', { name: 'Add', exact: true });

    await user.button('Add project').click();
    await add.click();
    await expect.poll(() => problem.textContent()).toBe('Enter the path of a directory.');
    await pathIn(page).fill(`${rig.directory}/web`);
    expect(await problem.textContent()).toBe('');
    await expect
      .poll(() => dialogOf(page).getByRole('option').allTextContents())
      .toEqual([`${rig.directory}/web-app`, `${rig.directory}/web-site`]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await pathIn(page).inputValue()).toBe(`${rig.directory}/web-site/`);
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor({ state: 'hidden' });

    await user.button('Add project').click();
    await pathIn(page).fill(`${rig.directory}/nowhere`);
    await dialogOf(page).getByText('No directory starts with this.').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => problem.textContent()).toMatch(/nowhere" does not exist .* Enter an existing directory/);
    await pathIn(page).fill(`${rig.directory}/web-site`);
    await add.click();
    await expect.poll(() => problem.textContent()).toMatch(/is already in the sidebar/);
    await pathIn(page).fill(`${rig.directory}/api`);
    await add.click();
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await projects(page)).toEqual(['New session in web-site', 'New session in api']);
  });
});

describe('a project in the sidebar', () => {
  it('mvp/TC-1.3a mvp/TC-1.3b is removed with its tabs only after a confirmation, and has its sessions when added again', async () => {
    const rig = await app.start();
    const { project } = await rig.seed('api', [
      { title: 'First', minutesAgo: 1, messages: 2 },
      { title: 'Second', minutesAgo: 2 },
    ]);
    await rig.seed('web', [{ title: 'Other' }]);
    const page = await rig.open();
    const user = createUser(page);
    for (const title of ['First', 'Other', 'Second']) await user.open(title);
    const remove = async (answer: string) => {
      await user
        .button('api')
        .or(page.getByRole('button', { name: /^api/ }))
        .first()
        .hover();
      await user.button('Remove api').click();
      const question = page.getByRole('dialog', { name: 'Remove api?' });
      await question.getByText('2 open tabs will close.').waitFor();
      await question.getByRole('button', { name: answer, exact: true }).click();
      await question.waitFor({ state: 'hidden' });
    };
    await remove('Cancel');
    expect(await user.tabs()).toEqual(['First', 'Other', 'Second']);

    await remove('Remove');
    await expect.poll(() => user.tabs()).toEqual(['Other']);
    expect(await projects(page)).toEqual(['New session in web']);
    expect(await page.locator('iframe').count()).toBe(1);

    await user.addProject(project.path);
    expect(await projects(page)).toEqual(['New session in web', 'New session in api']);
    await expect
      .poll(() => user.rows('api'))
      .toEqual([expect.stringContaining('First'), expect.stringContaining('Second')]);
    await user.open('First');
    await expect.poll(() => user.said()).toEqual(['You: Message 1', 'Claude Code: Message 2']);
  });

  it('mvp/TC-1.4a mvp/TC-1.4b hides its sessions when collapsed, even after a refresh and a restart', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }, { title: 'Two' }]);
    await rig.seed('web', [{ title: 'Other' }]);
    const page = await rig.open();
    const user = createUser(page);
    await user.row('One').waitFor();
    await page.getByRole('button', { name: 'api', exact: true, expanded: true }).click();
    const collapsed = page.getByRole('button', { name: /^api 2 sessions$/, expanded: false });
    await collapsed.waitFor();
    expect([await user.row('One').count(), await user.row('Other').count()]).toEqual([0, 1]);

    await page.reload();
    await collapsed.waitFor();
    await rig.halt();
    await rig.restart();
    await page.reload();
    await collapsed.waitFor();
    expect([await user.row('One').count(), await user.row('Other').count()]).toEqual([0, 1]);
    await collapsed.click();
    await user.row('One').waitFor();
  });
});
