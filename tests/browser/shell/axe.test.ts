import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { AppRig } from '../rig/app-rig.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();
const source = await readFile('node_modules/axe-core/axe.min.js', 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds in the shell itself; the session page in its frame is somebody else's test. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = await page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as {
      run(context: object, options: object): Promise<{ violations: Violation[] }>;
    };
    return (await axe.run({ exclude: [['iframe']] }, { iframes: false })).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const states: [string, (rig: AppRig, page: Page) => Promise<void>][] = [
  ['the empty page', async () => undefined],
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
    'a busy page',
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
      rig.codex.emitStatus({ status: 'disconnected', message: 'Codex ended.' });
      await page.getByRole('button', { name: 'New session in empty' }).click();
      await page.getByRole('menuitem', { name: 'Codex' }).waitFor();
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
    async (_rig, page) => {
      await page.evaluate(() => localStorage.clear());
      await page.reload();
      await page.getByRole('heading', { name: 'Open the address the server printed' }).waitFor();
    },
  ],
];

/** In both themes, on one page: what it finds does not depend on how the page came to be there. */
async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
}

describe('axe finds nothing, dark or light', () => {
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
