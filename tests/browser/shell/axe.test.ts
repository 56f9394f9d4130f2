import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { longConversation } from '../../fixtures/conversation/long-conversation.ts';
import type { AppRig } from '../../support/browser/app-rig.ts';
import { startStranger } from '../../support/browser/stranger.ts';
import { createUser } from '../../support/browser/user.ts';
import { violations } from '../rig/axe.ts';
import { takeNextTurn } from '../rig/running-turn.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

/** A running turn with one of everything: thinking, tool calls that succeeded, failed and are running, and text. */
async function work(rig: AppRig, page: Page, sessionId: string): Promise<void> {
  const user = createUser(page);
  const next = takeNextTurn(rig.claude, sessionId);
  await user.send('Work');
  const turn = await next();
  turn.begin('thinking').write('Hm.');
  turn
    .tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'exit 1' } })
    .end('\u001b[31mno\u001b[39m', { isError: true, exitCode: 1 });
  turn.tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'npm test' } });
  turn.notice('Trying again, attempt 1 of 10.');
  const answer = turn.begin('message');
  answer.write('| a |\n|---|\n| 1 |\n\n```ts\nconst a = 1;\n```');
  answer.end();
  turn.begin('message').write('It **grows** and grows');
  rig.claude.emitStatus({ sessionId, status: 'starting' });
  await user.sees('and grows');
  await user.log().locator('.hljs-keyword').waitFor();
}

const states: [string, (rig: AppRig, page: Page) => Promise<void>][] = [
  ['the empty state', async () => undefined],
  [
    'the dialog with directories',
    async (rig, page) => {
      await page.getByRole('button', { name: 'Add project' }).click();
      await page.getByRole('textbox', { name: 'Project path' }).fill(`${rig.directory}/`);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
    },
  ],
  [
    'the question whether to trust a directory',
    async (rig, page) => {
      const { project } = await rig.seed('hostile');
      const servers = { spy: { command: 'spy' }, long: { command: 'x'.repeat(500) } };
      await writeFile(join(project.path, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
      await page.reload();
      await page.getByRole('button', { name: 'New session in hostile' }).click();
      await page.getByRole('menuitem', { name: 'Claude Code' }).click();
      await page.getByRole('dialog', { name: 'Do you trust this directory?' }).waitFor();
    },
  ],
  [
    'a busy page: thirty tabs, a turn that runs with its tools, an agent that is missing, a menu',
    async (rig, page) => {
      rig.codex.unavailable = 'Install it first.';
      const { sessions } = await rig.seed(
        'api',
        Array.from({ length: 40 }, (_, index) => ({ title: `Session ${index}` })),
      );
      await rig.seed('empty');
      await page.evaluate(
        (ids) => {
          sessionStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: ids, activeTab: ids[0], tabOrder: ids }));
        },
        sessions.slice(0, 30).map(({ id }) => id),
      );
      await page.reload();
      await page.getByRole('tab', { name: 'Session 12', exact: true }).waitFor();
      await work(rig, page, sessions[0]?.id ?? '');
      rig.codex.emitStatus({ status: 'disconnected', message: 'Codex ended.' });
      await page.getByRole('button', { name: 'New session in empty' }).click();
      await page.getByRole('menuitem', { name: 'Codex' }).waitFor();
    },
  ],
  [
    'a long session',
    async (rig, page) => {
      const { sessions } = await rig.seed('api', [{ title: 'Long' }]);
      const id = sessions[0]?.id ?? '';
      rig.claude.remember(
        id,
        longConversation(2_000).entries.map((entry) => ({ ...entry, sessionId: id })),
      );
      await page.reload();
      const user = createUser(page);
      await user.open('Long');
      await user.sees('Answer 399.');
      await user.log().locator('.hljs-keyword').last().waitFor();
      await user.log().hover();
      await page.mouse.wheel(0, -1_000);
      await user.chatButton('Scroll to bottom').waitFor();
    },
  ],
  [
    'the menu of all tabs and a notice',
    async (rig, page) => {
      const { sessions } = await rig.seed(
        'api',
        Array.from({ length: 20 }, (_, index) => ({ title: `Session ${index}` })),
      );
      await page.evaluate(
        (ids) => {
          sessionStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: ids, activeTab: ids[3], tabOrder: ids }));
        },
        sessions.map(({ id }) => id),
      );
      await page.reload();
      await page.getByRole('button', { name: 'Archive' }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Dismiss' }).waitFor();
      await page.getByRole('button', { name: 'All 19 tabs' }).click();
    },
  ],
  [
    'the question before a project is removed',
    async (rig, page) => {
      await rig.seed('api', [{ title: 'One' }]);
      await page.reload();
      await page.getByRole('button', { name: 'Remove api' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Remove api?' }).waitFor();
    },
  ],
  [
    'a lost connection',
    async (rig, page) => {
      await rig.seed('api', [{ title: 'One' }]);
      await page.getByText('Server connected').waitFor();
      await rig.halt();
      await page.getByRole('button', { name: 'Reconnect' }).waitFor();
      await rig.restart();
    },
  ],
  [
    'a browser that is not known',
    async (rig, page) => {
      // Another origin, which has no key.
      await page.goto(`http://127.0.0.1:${rig.port}`);
      await page.getByRole('heading', { name: 'Open the address the server printed' }).waitFor();
    },
  ],
  [
    'a port that another program has taken',
    async (rig, page) => {
      await page.getByText('Server connected').waitFor();
      await rig.halt();
      const stranger = await startStranger({ port: rig.port, hosts: ['127.0.0.1', '::1'] });
      await page.getByRole('alert').getByText('Another program answers').waitFor();
      await stranger.stop();
      await rig.restart();
    },
  ],
];

/** Checks both themes on the same page. */
async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
}

describe('axe finds no problems in the shell and the session page, in both themes', () => {
  it.each(states)('in %s', async (_, prepare) => {
    const rig = await app.start();
    const page = await rig.open();
    await page.getByRole('button', { name: 'Add project' }).waitFor();
    await prepare(rig, page);
    await expectNoViolations(page);
  });

  it('in a narrow window with the drawer open', async () => {
    const rig = await app.start({ demo: true });
    await rig.seed('api', [{ title: 'One' }]);
    const page = await rig.open({ viewport: { width: 600, height: 700 } });
    await page.getByRole('button', { name: 'Show sidebar' }).click();
    await page.getByRole('button', { name: /^One / }).waitFor();
    await expectNoViolations(page);
  });
});
