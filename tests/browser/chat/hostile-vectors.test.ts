import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { turn } from '../../fixtures/conversation/upserts.ts';
import { type BuiltPages, buildPages } from '../../support/browser/built-pages.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { startLeakServer } from '../../support/browser/leak-server.ts';
import { serveStatic } from '../../support/browser/static-server.ts';
import { everywhere, sessionMessages } from '../../support/hostile/surfaces.ts';
import { hostileVectors, someVectors } from '../../support/hostile/vectors/index.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';
import { watch } from './rig/watch.ts';

/** All vectors at every position with `LIMINAL_VECTORS=all`, else a part of them in a few parts. */
const isFull = process.env.LIMINAL_VECTORS === 'all';
const choose = (count: number, leak: string): string[] => (isFull ? hostileVectors(leak) : someVectors(count, leak));
const TIMEOUT = isFull ? 1_800_000 : 60_000;

const inBatches = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));

function beginOf(upsert: UpsertObject): UpsertObject {
  if (upsert.type === 'tool_call') return { ...upsert, status: 'create' };
  return { ...upsert, status: 'create', content: upsert.content.slice(0, upsert.content.length / 2) };
}

const NOTHING = { pwned: 0, violations: [] };
const QUIET = { foreignRequests: [], dialogs: [], popups: [], errors: [] };

describe('hostile Markdown', () => {
  let browser: Browser;
  let pages: BuiltPages;
  beforeAll(async () => {
    const root = join(import.meta.dirname, 'markdown-page');
    [browser, pages] = await Promise.all([launchChromium(), buildPages({ configFile: false, root })]);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.remove();
  });

  it('safe/hostile-text is tested with thousands of vectors', () => {
    expect(hostileVectors().length).toBeGreaterThan(6_000);
  });

  async function openPage() {
    const server = await serveStatic(pages.directory, { '/favicon.ico': '' });
    const context = await browser.newContext();
    onTestFinished(async () => {
      await context.close();
      await server.stop();
    });
    const watched = await watch(context, server.origin);
    const page = await context.newPage();
    await page.goto(`${server.origin}/index.html`);
    return { page, watched, address: `${server.origin}/index.html`, leaks: await startLeakServer() };
  }

  it('safe/hostile-text runs nothing, fetches nothing and leaves nothing foreign, whole and in parts', {
    timeout: TIMEOUT,
  }, async () => {
    const { page, watched, address, leaks } = await openPage();
    const parts = isFull ? Number.MAX_SAFE_INTEGER : 6;
    for (const batch of inBatches(choose(1_200, leaks.address), 200)) {
      const check = ([list, count]: readonly [string[], number]) => Reflect.get(window, 'checkVectors')(list, count);
      expect(await page.evaluate(check, [batch, parts] as const)).toEqual([]);
    }
    expect(await watched.caught()).toEqual(NOTHING);
    expect(watched).toMatchObject({ ...QUIET, navigations: [address] });
    expect(leaks.requests).toEqual([]);
  });

  it('safe/hostile-text is removed by the sanitizer alone, too', { timeout: TIMEOUT }, async () => {
    const { page, watched, address, leaks } = await openPage();
    for (const batch of inBatches(hostileVectors(leaks.address), 1_000)) {
      expect(await page.evaluate((list) => Reflect.get(window, 'checkSanitizer')(list), batch)).toEqual([]);
    }
    // The policy also reports styles and handlers in the inert document that the sanitizer works on.
    expect(await watched.caught()).toMatchObject({ pwned: 0 });
    expect(watched).toMatchObject({ ...QUIET, navigations: [address] });
    expect(leaks.requests).toEqual([]);
  });
});

describe('hostile text in a conversation', () => {
  const sessionPage = useSessionPage();

  /** Mounts and opens everything, and clicks on everything that came from the text. */
  async function exercise(rig: SessionPageRig, rowCount: number): Promise<void> {
    await rig.mountAll(rowCount);
    await rig.frame.evaluate(() => {
      Reflect.set(navigator.clipboard, 'writeText', () => Reflect.get(window, 'pwned')());
      for (const summary of document.querySelectorAll('summary')) summary.click();
    });
    await rig.settle();
    const before = (await rig.heard()).length;
    await rig.frame.evaluate(() => {
      const shown =
        '.markdown *, .user-text, .notice, .output *, .diff-text, .diff-path, .tool-name, .turn-error-message';
      for (const element of document.querySelectorAll<HTMLElement>(shown)) {
        if (element.closest('a[href], .code-bar, summary') === null) element.click();
      }
    });
    await rig.settle();
    expect((await rig.heard()).slice(before)).toEqual([]);
  }

  /** Elements that neither our pages nor our renderer create. */
  const strangers = (rig: SessionPageRig): Promise<string[]> =>
    rig.frame.evaluate(() =>
      [
        ...document.body.querySelectorAll(
          'script, img, image, iframe, object, embed, applet, style, link, meta, base, math, video, audio, input, select, template, dialog, marquee, form:not(.composer), svg:not([class]), [onclick], [onerror], [onload]',
        ),
      ].map((element) => element.outerHTML.slice(0, 200)),
    );

  it.each([
    ['from memory', false],
    ['as it streams', true],
  ])(
    'safe/hostile-text does nothing on any surface of the session page: %s',
    { timeout: TIMEOUT },
    async (_, isLive) => {
      const leaks = await startLeakServer();
      const texts = choose(60, leaks.address);
      for (const batch of inBatches(texts, 150)) {
        const rig = await sessionPage.start();
        const navigations = [...rig.watched.navigations];
        const entries = batch.flatMap(everywhere);
        const turns = batch.map((text, number) =>
          turn(`t${number}`, { status: 'error', errorCode: text, errorMessage: text, modelId: text, stopReason: text }),
        );
        if (isLive) {
          await rig.open([]);
          // In two halves, with a frame between them.
          await rig.tell(...entries.map((entry) => ({ type: 'session:upsert' as const, payload: beginOf(entry) })));
          await rig.settle();
          await rig.tell(...entries.map((payload) => ({ type: 'session:upsert' as const, payload })));
        } else await rig.open(entries, turns);
        await exercise(rig, batch.length * 8);
        for (const text of batch.slice(0, 20)) await rig.tell(...sessionMessages(text));
        await rig.settle();
        expect(await strangers(rig)).toEqual([]);
        expect(await rig.watched.caught()).toEqual(NOTHING);
        expect(rig.watched).toMatchObject({ ...QUIET, navigations });
        await rig.context.close();
      }
      expect(leaks.requests).toEqual([]);
    },
  );
});
