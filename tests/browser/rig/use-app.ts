import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type BuiltPages, buildPages } from '../../fixtures/built-pages.ts';
import { launchChromium } from '../../fixtures/chromium.ts';
import { type AppRig, startAppRig } from './app-rig.ts';

/** Builds the pages and starts a browser for a file of tests; each test starts a server of its own. */
export function useApp(): { start(options?: { demo?: boolean }): Promise<AppRig> } {
  let browser: Browser;
  let pages: BuiltPages;
  beforeAll(async () => {
    [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.remove();
  });
  return {
    async start(options) {
      const rig = await startAppRig(browser, pages.directory, options);
      onTestFinished(rig.stop);
      return rig;
    },
  };
}
