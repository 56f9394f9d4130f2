import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import type { AppRig } from '../../support/browser/app-rig.ts';
import { startLeakServer } from '../../support/browser/leak-server.ts';
import { createUser } from '../../support/browser/user.ts';
import { everywhere } from '../../support/hostile/surfaces.ts';
import { hostileVectors, someVectors } from '../../support/hostile/vectors/index.ts';
import { type Watch, watch } from '../chat/rig/watch.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();
const isFull = process.env.LIMINAL_VECTORS === 'all';
const TIMEOUT = isFull ? 1_800_000 : 60_000;

/** What a directory may be called. */
const asFileName = (text: string): string => text.replaceAll('/', '\u2215').replaceAll('\0', '').slice(0, 80).trim();

const strangers = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.body.querySelectorAll(
        'script, img, object, embed, style, link, meta, base, math, video, audio, template, iframe:not(.panel > iframe), svg:not([class]), [onclick], [onerror], [onload]',
      ),
    ].map((element) => element.outerHTML.slice(0, 200)),
  );

/** Opens the page under watch. The returned check expects that nothing has happened that must not. */
async function openWatched(rig: AppRig) {
  let watched: Watch | undefined;
  const page = await rig.open({}, async (context) => {
    watched = await watch(context, rig.address);
  });
  const { origin } = new URL(page.url());
  return {
    page,
    async expectNothing() {
      const isForeign = (url: string): boolean => !url.startsWith(`${origin}/`) && url !== 'about:blank';
      expect(await watched?.caught()).toEqual({ pwned: 0, violations: [] });
      expect(watched).toMatchObject({ dialogs: [], popups: [], errors: [] });
      expect([...(watched?.foreignRequests ?? []), ...(watched?.navigations ?? [])].filter(isForeign)).toEqual([]);
    },
  };
}

describe('hostile names', () => {
  it('safe/hostile-text in projects, sessions, completions and notices do nothing', {
    timeout: TIMEOUT,
  }, async () => {
    const leaks = await startLeakServer();
    const texts = isFull ? hostileVectors(leaks.address) : someVectors(120, leaks.address);
    const rig = await app.start();
    const names = [...new Set(texts.map(asFileName).filter((name) => name !== '' && !/^\.+$/.test(name)))].slice(0, 60);
    for (const [index, name] of names.entries()) {
      const titles = texts.filter((_, number) => number % names.length === index).slice(0, 40);
      await rig.seed(
        join('projects', name),
        titles.map((title) => ({ title })),
      );
    }
    await mkdir(join(rig.directory, 'complete'));
    for (const name of names) await mkdir(join(rig.directory, 'complete', name), { recursive: true });
    const { page, expectNothing } = await openWatched(rig);
    const user = createUser(page);
    await expect.poll(() => page.locator('.project').count()).toBe(names.length);

    await user.button('Add project').click();
    await page.getByRole('textbox', { name: 'Project path' }).fill(`${rig.directory}/complete/`);
    await expect.poll(() => page.getByRole('option').count()).toBeGreaterThan(20);
    await page.keyboard.press('Escape');
    for (const row of (await page.locator('.session > .row').all()).slice(0, 6)) await row.click();
    expect(await page.locator('.tab-box').count()).toBeGreaterThan(3);
    for (const text of texts.slice(0, 4)) {
      rig.claude.failNext('create', new ProviderError('AGENT_UNAVAILABLE', text));
      await page.locator('.project-new').first().click({ force: true });
      await page.getByRole('menuitem', { name: 'Claude Code' }).click();
      await expect.poll(() => page.locator('.notice-error').count()).toBeGreaterThan(0);
    }
    await page.evaluate(() => {
      for (const name of document.querySelectorAll<HTMLElement>('.notice p, .tab-title')) name.click();
    });
    expect(await strangers(page)).toEqual([]);
    await expectNothing();
    expect(leaks.requests).toEqual([]);
  });
});

describe('a hostile directory', () => {
  it('safe/hostile-text does nothing in the list of what would run', { timeout: TIMEOUT }, async () => {
    const leaks = await startLeakServer();
    const texts = someVectors(isFull ? 1_000 : 120, leaks.address);
    const rig = await app.start();
    const { project } = await rig.seed('hostile');
    await mkdir(join(project.path, '.claude'));
    const hooks = { SessionStart: texts.map((command) => ({ hooks: [{ type: 'command', command }] })) };
    await writeFile(join(project.path, '.claude/settings.json'), JSON.stringify({ hooks }));
    const servers = texts.map((text, index) => [`${text}${index}`, { command: text, args: [text], env: { A: text } }]);
    await writeFile(join(project.path, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));

    const { page, expectNothing } = await openWatched(rig);
    await page.getByRole('button', { name: 'New session in hostile' }).click();
    await page.getByRole('menuitem', { name: 'Claude Code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Do you trust this directory?' });
    await dialog.waitFor();
    // The list is limited.
    await expect.poll(() => dialog.locator('.trust-entry').count()).toBeGreaterThan(100);
    await dialog.evaluate((element) => {
      for (const part of element.querySelectorAll<HTMLElement>('.trust-entry *')) part.click();
    });
    expect(await strangers(page)).toEqual([]);
    expect(rig.claude.calls).toEqual([]);
    await expectNothing();
    expect(leaks.requests).toEqual([]);
  });
});

describe('a hostile conversation', () => {
  it('safe/hostile-text does nothing when it is loaded by the server, shown, and loaded again', {
    timeout: TIMEOUT,
  }, async () => {
    const leaks = await startLeakServer();
    const rig = await app.start();
    const texts = someVectors(isFull ? 1_000 : 60, leaks.address);
    const { sessions } = await rig.seed('api', [{ title: texts[7] ?? '' }]);
    const sessionId = sessions[0]?.id ?? '';
    rig.claude.remember(
      sessionId,
      texts.flatMap(everywhere).map((upsert) => ({ ...upsert, sessionId })),
    );
    const { page, expectNothing } = await openWatched(rig);
    await page.locator('.session > .row').click();
    const rows = page.getByRole('tabpanel').frameLocator('iframe').locator('.row');
    for (let round = 0; round < 2; round += 1) {
      await expect.poll(() => rows.count()).toBeGreaterThan(15);
      await rows.first().evaluate(async () => {
        const log = document.querySelector('.log');
        for (let count = 0; log !== null && count < 60; count += 1) {
          log.scrollTop = 0;
          await new Promise(requestAnimationFrame);
        }
        for (const summary of document.querySelectorAll('summary')) summary.click();
      });
      await expectNothing();
      await page.reload();
    }
    expect(leaks.requests).toEqual([]);
  });
});
