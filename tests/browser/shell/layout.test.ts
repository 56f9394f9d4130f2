import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { TEST_TOKEN } from '../../support/server/test-app.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const sidebar = (page: Page) => page.getByRole('complementary', { name: 'Sidebar' });
const widthOf = async (page: Page) => (await sidebar(page).boundingBox())?.width;
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

describe('the sidebar', () => {
  it('can be dragged within its limits, even over the session pages, and keeps its width', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }]);
    const page = await rig.open();
    await page.getByRole('button', { name: /^One / }).click();
    const edge = page.getByRole('separator', { name: 'Sidebar width' });
    await edge.hover();
    await page.mouse.down();
    await page.mouse.move(330, 400, { steps: 5 });
    await expect.poll(() => widthOf(page)).toBeGreaterThan(325);
    expect(await widthOf(page)).toBeLessThan(335);
    await page.mouse.move(900, 400, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => widthOf(page)).toBe(420);
    await page.mouse.move(300, 300);
    expect(await widthOf(page)).toBe(420);
    await page.reload();
    await expect.poll(() => widthOf(page)).toBe(420);
    await edge.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => widthOf(page)).toBe(200);
  });

  it('is toggled by Ctrl+B without losing the focus, and stays hidden after a reload', async () => {
    const rig = await app.start();
    const page = await rig.open();
    await page.getByRole('button', { name: 'Hide sidebar' }).click();
    expect(await sidebar(page).isVisible()).toBe(false);
    expect(
      await page.getByRole('button', { name: 'Show sidebar' }).evaluate((it) => it === document.activeElement),
    ).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: 'Show sidebar' }).waitFor();
    expect(await sidebar(page).isVisible()).toBe(false);
    await page.keyboard.press('Control+b');
    await sidebar(page).waitFor();
  });

  it.each([899, 600])(
    'at %d px is a drawer that closes on Escape, on a press outside and on a selection',
    async (width) => {
      const rig = await app.start();
      await rig.seed('api', [{ title: 'One' }]);
      const page = await rig.open({ viewport: { width, height: 700 } });
      const show = page.getByRole('button', { name: 'Show sidebar' });
      await show.click();
      await sidebar(page).waitFor();
      await page.keyboard.press('Escape');
      await sidebar(page).waitFor({ state: 'hidden' });
      expect(await show.evaluate((it) => it === document.activeElement)).toBe(true);
      await show.click();
      await page.mouse.click(width - 20, 400);
      await sidebar(page).waitFor({ state: 'hidden' });
      await show.click();
      await page.getByRole('button', { name: /^One / }).click();
      await sidebar(page).waitFor({ state: 'hidden' });
      expect(await page.getByRole('tab').allTextContents()).toEqual(['One']);
      expect(await sideways(page)).toBe(0);
    },
  );

  it('shows the newest 30 of 200 sessions, then more, and finds any of them', async () => {
    const rig = await app.start();
    const seeds = Array.from({ length: 200 }, (_, index) => ({ title: `Session ${index} of many`, minutesAgo: index }));
    await rig.seed('api', seeds);
    const page = await rig.open();
    await page.getByRole('button', { name: 'Show 100 of 170 more' }).waitFor();
    expect(await page.locator('.session').count()).toBe(30);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('187');
    await expect.poll(() => page.locator('.session').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('tab').allTextContents()).toEqual(['Session 187 of many']);
    const filter = page.getByRole('searchbox', { name: 'Filter sessions and projects' });
    await filter.focus();
    await page.keyboard.press('Escape');
    expect(await filter.inputValue()).toBe('');
    // The one that is open in a tab is shown wherever it is.
    expect(await page.locator('.session').count()).toBe(31);
    await page.getByRole('button', { name: 'Show 100 of 169 more' }).click();
    await expect.poll(() => page.locator('.session').count()).toBe(131);
    await page.getByRole('button', { name: 'Show 69 more' }).click();
    await expect.poll(() => page.locator('.session').count()).toBe(200);
  });
});

describe('the page', () => {
  it.each([600, 900, 1440, 2560])('at %d px does not overflow horizontally, even with long names', async (width) => {
    const rig = await app.start();
    const long = 'a-very-long-name-without-a-single-space-in-it-'.repeat(4);
    await rig.seed(long.slice(0, 200), [{ title: long }, { title: 'Short' }]);
    const page = await rig.open({ viewport: { width, height: 700 } });
    if (width < 900) await page.getByRole('button', { name: 'Show sidebar' }).click();
    await page
      .locator('.session')
      .getByRole('button', { name: long.slice(0, 40) })
      .click();
    await page.getByRole('tab').waitFor();
    expect(await sideways(page)).toBe(0);
    const rows = await page
      .locator('.session:visible, .project-head:visible')
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().height));
    expect(new Set([...rows, 28])).toEqual(new Set([28]));
  });
});

describe('the theme', () => {
  const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [LIGHT, DARK] = ['rgb(225, 226, 231)', 'rgb(26, 27, 38)'];

  it('follows the system until one is chosen, which is then used from the first paint', async () => {
    const rig = await app.start();
    const page = await rig.open({ colorScheme: 'light' });
    expect(await ground(page)).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground(page)).toBe(DARK);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    expect(await ground(page)).toBe(LIGHT);
    // Without the page's scripts, to see the state before they run.
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload();
    expect(await ground(page)).toBe(LIGHT);
  });

  it('is the same in all windows', async () => {
    const rig = await app.start();
    const page = await rig.open({ colorScheme: 'light' });
    const other = await page.context().newPage();
    await other.goto(rig.address);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await other.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await ground(other)).toBe(DARK);
  });

  it('respects the preference for reduced motion', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [{ title: 'One' }]);
    const page = await rig.open({ reducedMotion: 'reduce' });
    const id = sessions[0]?.id ?? '';
    await page.getByRole('button', { name: /^One / }).click();
    await expect.poll(() => rig.claude.loads).toEqual([id]);
    await page.evaluate(
      async ({ path, token }) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        await fetch(path, { method: 'POST', headers, body: '{"content":"hold"}' });
      },
      { path: `/api/session/${encodeURIComponent(id)}/send`, token: TEST_TOKEN },
    );
    const icon = page.locator('.row-status .spinning');
    await icon.waitFor();
    expect(await icon.evaluate((it) => getComputedStyle(it).animationIterationCount)).toBe('1');
  });
});
