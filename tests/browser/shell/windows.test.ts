import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const tabs = (page: Page) => page.getByRole('tab').allTextContents();
const sessions = (page: Page) => page.locator('.session .row-title').allTextContents();

describe('a mouse user', () => {
  it('follows the empty states from a directory to an agent and a first session', async () => {
    const rig = await app.start();
    const page = await rig.open();
    await page.getByRole('button', { name: 'Choose a directory' }).click();
    await page.getByRole('textbox', { name: 'Project path' }).fill(`${rig.directory}/`);
    await page.getByRole('option', { name: `${rig.directory}/data` }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'Nothing in data yet' }).waitFor();
    await page.getByRole('button', { name: 'New session', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Claude Code' }).click();
    await expect.poll(() => tabs(page)).toEqual(['New Session']);
    const composer = page.frameLocator('iframe').getByRole('textbox', { name: 'Message' });
    await expect.poll(() => composer.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME');
    await page.getByRole('button', { name: 'Close New Session' }).click();
    await page.getByRole('button', { name: 'New session', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Codex' }).click();
    await expect.poll(() => tabs(page)).toEqual(['New Session']);
    await page.getByRole('button', { name: 'New session', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Codex' }).click();
    await expect.poll(() => tabs(page)).toEqual(['New Session', 'New Session']);
  });
});

describe('a keyboard user', () => {
  it('can add a project, start a session, go to the sidebar and archive it', async () => {
    const rig = await app.start();
    const page = await rig.open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim(),
      );
    await page.getByText('Server connected').waitFor();

    while ((await focused()) !== 'Add project') await press('Tab');
    await press('Enter');
    await page.keyboard.type(`${rig.directory}/da`);
    await page.getByRole('option', { name: `${rig.directory}/data` }).waitFor();
    await press('Tab');
    expect(await page.getByRole('textbox', { name: 'Project path' }).inputValue()).toBe(`${rig.directory}/data/`);
    await press('Enter');
    await page.getByRole('button', { name: 'New session in data' }).waitFor();
    await expect.poll(focused).toMatch(/^data/);

    await press('Tab', 'Tab');
    expect(await focused()).toBe('New session in data');
    await press('Enter');
    await page.getByRole('menu').waitFor();
    await press('ArrowDown', 'Enter');
    await expect.poll(() => tabs(page)).toEqual(['New Session']);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME');
    expect(rig.codex.processes.started).toBe(1);

    const composer = page.frameLocator('iframe').getByRole('textbox', { name: 'Message' });
    await expect.poll(() => composer.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);

    await press('Control+k');
    await expect.poll(focused).toBe('Filter sessions and projects');
    await press('ArrowDown', 'ArrowDown', 'Delete');
    await expect.poll(() => tabs(page)).toEqual([]);
    await expect.poll(() => sessions(page)).toEqual([]);
  });

  it('sees the focus at every step', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }, { title: 'Two' }]);
    const page = await rig.open();
    await page.getByRole('button', { name: /^One / }).waitFor();
    const unseen: string[] = [];
    for (let step = 0; step < 14; step += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        const { outlineStyle } = getComputedStyle(element);
        const after = getComputedStyle(element, '::after').backgroundColor;
        const isSeen = outlineStyle !== 'none' || after !== 'rgba(0, 0, 0, 0)';
        return element === document.body || isSeen ? null : element.outerHTML;
      });
      if (stop !== null) unseen.push(stop);
    }
    expect(unseen).toEqual([]);
  });
});

describe('two windows', () => {
  it('agree on projects, sessions, titles and status', async () => {
    const rig = await app.start();
    const { sessions: seeded } = await rig.seed('api', [{ title: 'New Session' }]);
    const id = seeded[0]?.id ?? '';
    const [one, two] = await Promise.all([rig.open(), rig.open()]);
    for (const page of [one, two]) await page.getByRole('button', { name: /^New Session / }).click();

    const send = one.frameLocator('iframe').getByRole('textbox', { name: 'Message' });
    rig.claude.answerNext([{ hold: true }]);
    await send.fill('Fix the footer');
    await send.press('Enter');
    for (const page of [one, two]) {
      await expect.poll(() => tabs(page)).toEqual(['Fix the footer']);
      await page.locator('.row-status .status-running').waitFor();
    }
    rig.claude.release(id);
    for (const page of [one, two]) await page.locator('.row-status .status-idle').waitFor();

    await one.getByRole('button', { name: 'Archive' }).focus();
    await one.keyboard.press('Enter');
    for (const page of [one, two]) await expect.poll(() => tabs(page)).toEqual([]);
    await one.getByRole('button', { name: 'Remove api' }).focus();
    await one.keyboard.press('Enter');
    await one.getByRole('button', { name: 'Remove', exact: true }).click();
    for (const page of [one, two]) await page.getByRole('heading', { name: 'Start with a project' }).waitFor();
  });
});

describe('two windows of one browser', () => {
  it('keep their own tabs after a reload, and a third starts with those of the window used last', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }, { title: 'Two', cliType: 'codex' }, { title: 'Three' }]);
    const open = (page: Page, title: string) => page.getByRole('button', { name: new RegExp(`^${title} `) }).click();
    const one = await rig.open();
    await open(one, 'One');
    const two = await one.context().newPage();
    await two.goto(rig.address);
    await expect.poll(() => tabs(two)).toEqual(['One']);
    await open(two, 'Two');
    await open(one, 'Three');
    await two.getByRole('button', { name: 'Close One' }).click();
    for (const page of [one, two]) await page.reload();
    await expect.poll(() => tabs(one)).toEqual(['One', 'Three']);
    await expect.poll(() => tabs(two)).toEqual(['Two']);
    const three = await one.context().newPage();
    await three.goto(rig.address);
    await expect.poll(() => tabs(three)).toEqual(['Two']);
  });
});

describe('a restart of the server', () => {
  it('is followed by a resync within two seconds, without lost or duplicated messages', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One', messages: 6 }]);
    const page = await rig.open();
    await page.getByRole('button', { name: /^One / }).click();
    const messages = () =>
      page
        .frameLocator('iframe')
        .getByText(/^Message \d$/)
        .allTextContents();
    const all = ['Message 1', 'Message 2', 'Message 3', 'Message 4', 'Message 5', 'Message 6'];
    await expect.poll(messages).toEqual(all);
    await rig.halt();
    await page.getByRole('button', { name: 'Reconnect' }).waitFor();
    await rig.restart();
    const start = performance.now();
    await page.getByText('Server connected').waitFor();
    await expect.poll(() => rig.claude.loads.length).toBe(1);
    expect(performance.now() - start).toBeLessThan(2000);
    await expect.poll(messages).toEqual(all);
  });
});

describe('the page', () => {
  it('requests only its own server, obeys its policy, and requests nothing more once loaded', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One', messages: 4 }]);
    const page = await rig.open();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.reload();
    await page.getByRole('button', { name: /^One / }).click();
    await page.frameLocator('iframe').getByText('Message 4').waitFor();
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(rig.address))).toEqual([]);
    const loaded = requests.length;
    await page.getByRole('button', { name: 'Hide sidebar' }).click();
    await page.getByRole('button', { name: 'Show sidebar' }).click();
    expect(requests.slice(loaded)).toEqual([]);
    expect(await page.evaluate(() => location.href)).not.toContain('token');
  });

  it('ignores messages from a sibling frame, a popup or the shell itself', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }]);
    const page = await rig.open();
    await page.getByRole('button', { name: /^One / }).click();
    await page.frameLocator('iframe').getByRole('textbox', { name: 'Message' }).waitFor();
    const sent: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postData());
    });
    const address = '/portlet/index.html?sessionId=codex%3Astranger';
    const message = { type: 'session:send', turnId: crypto.randomUUID(), content: 'spoofed' };

    await page.evaluate((src) => {
      const sibling = document.createElement('iframe');
      sibling.src = src;
      document.body.append(sibling);
    }, address);
    await expect.poll(() => page.frames().length).toBe(3);
    const [, real, sibling] = page.frames();
    await sibling?.waitForURL(`**${address}`);
    await sibling?.evaluate((data) => parent.postMessage(data, location.origin), message);

    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((url) => void window.open(url), address),
    ]);
    await popup.evaluate((data) => (opener as Window).postMessage(data, location.origin), message);
    await page.evaluate((data) => window.postMessage(data, location.origin), message);

    await real?.evaluate((data) => parent.postMessage({ ...data, content: 'real' }, location.origin), message);
    await expect
      .poll(() => sent.map((body) => JSON.parse(body ?? '')))
      .toEqual([{ turnId: message.turnId, content: 'real', ask: true }]);
  });
});
