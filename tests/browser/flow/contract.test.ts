import { expect, it } from 'vitest';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

it('every role and name that screen readers and tests rely on exists', async () => {
  const rig = await app.start();
  const { project } = await rig.seed('api');
  const page = await rig.open();
  const named = { exact: true } as const;
  const button = (name: string) => page.getByRole('button', { name, ...named });

  await button('Add project').click();
  const dialog = page.getByRole('dialog', { name: 'Add project', ...named });
  await dialog.getByRole('textbox', { name: 'Project path', ...named }).fill(`${project.path}/nowhere`);
  await dialog.getByRole('button', { name: 'Add', ...named }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');

  const [first, second] = ['Claude Code', 'Codex'];
  await button('New session').click();
  await page.getByRole('menuitem', { name: second, ...named }).waitFor();
  await page.getByRole('menuitem', { name: first, ...named }).click();
  const tab = page.getByRole('tab', { name: 'New Session', ...named });
  await tab.waitFor();
  expect(await page.getByRole('tablist').getAttribute('aria-owns')).toBe(await tab.getAttribute('id'));
  const chat = page.getByRole('tabpanel').frameLocator('iframe');
  const inChat = (name: string) => chat.getByRole('button', { name, ...named });
  const message = chat.getByRole('textbox', { name: 'Message', ...named });
  const log = chat.getByRole('log', { name: 'Conversation', ...named });

  const lines = Array.from({ length: 80 }, (_, index) => `Line ${index}.\n\n`);
  rig.claude.answerNext([{ say: lines }, { hold: true }]);
  await message.fill('Name this session');
  await inChat('Send').click();
  await page.getByRole('tab', { name: 'Name this session', ...named }).waitFor();
  await log.getByText('Line 79.').waitFor();
  await log.hover();
  await page.mouse.wheel(0, -600);
  await inChat('Scroll to bottom').click();
  await inChat('Scroll to bottom').waitFor({ state: 'hidden' });
  await inChat('Cancel').click();
  await inChat('Cancel').waitFor({ state: 'hidden' });
  expect(await chat.getByRole('status').count()).toBeGreaterThan(0);

  // Each project has one, in addition to the one in the tab bar.
  await button('New session').waitFor();
  await button('New session in api').click();
  await page.getByRole('menuitem', { name: second, ...named }).click();
  await tab.waitFor();

  const sessionId = rig.claude.calls.findLast(({ method }) => method === 'send')?.sessionId ?? '';
  await page.getByRole('tab', { name: 'Name this session', ...named }).click();
  rig.claude.crash(sessionId);
  await inChat('Reconnect').click();
  await inChat('Reconnect').waitFor({ state: 'hidden' });
  await rig.halt();
  await button('Reconnect').click();
  await rig.restart();
  await page.getByText('Server connected').waitFor();

  const archive = page.getByRole('navigation').getByRole('button', { name: 'Archive', ...named });
  expect(await archive.count()).toBe(2);
  await archive.first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('tab').count()).toBe(1);
});
