import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type BuiltPages, buildPages } from './built-pages.ts';
import { launchChromium } from './chromium.ts';
import { type ShellRig, startShellRig } from './shell-rig.ts';

/** Builds the pages and starts a browser for a file of tests; each test starts a server of its own. */
export function useShell(): { start(options?: { demo?: boolean }): Promise<ShellRig> } {
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
      const rig = await startShellRig(browser, pages.directory, options);
      onTestFinished(rig.stop);
      return rig;
    },
  };
}
