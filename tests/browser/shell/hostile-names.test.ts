import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { startLeakServer } from '../../support/browser/leak-server.ts';
import { createUser } from '../../support/browser/user.ts';
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

describe('hostile names', () => {
  it('safe/hostile-text in projects, sessions, agents, completions and notices do nothing', {
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
    let watched: Watch | undefined;
    const page = await rig.open({}, async (context) => {
      watched = await watch(context, rig.address);
    });
    const { origin } = new URL(page.url());
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
    const isForeign = (url: string): boolean => !url.startsWith(`${origin}/`) && url !== 'about:blank';
    expect(await watched?.caught()).toEqual({ pwned: 0, violations: [] });
    expect(watched).toMatchObject({ dialogs: [], popups: [], errors: [] });
    expect([...(watched?.foreignRequests ?? []), ...(watched?.navigations ?? [])].filter(isForeign)).toEqual([]);
    expect(leaks.requests).toEqual([]);
  });
});
