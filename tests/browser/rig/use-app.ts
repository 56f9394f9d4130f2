import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { SessionId } from '../../../shared/ids.ts';
import { type BuiltPages, buildPages } from '../../fixtures/built-pages.ts';
import { launchChromium } from '../../fixtures/chromium.ts';
import type { ScriptedProvider } from '../../fixtures/scripted-provider.ts';
import { type AppRig, type SessionSeed, startAppRig } from './app-rig.ts';
import { createUser, type User } from './user.ts';

/** A page with one session of one project, `api`, open. */
export interface OpenSession {
  readonly rig: AppRig;
  readonly page: Page;
  readonly user: User;
  readonly id: SessionId;
  readonly agent: ScriptedProvider;
}

/** Builds the pages and starts a browser for a file of tests; each test starts a server of its own. */
export function useApp(): {
  start(options?: { demo?: boolean }): Promise<AppRig>;
  openSession(seed?: Partial<SessionSeed>, options?: BrowserContextOptions): Promise<OpenSession>;
} {
  let browser: Browser;
  let pages: BuiltPages;
  beforeAll(async () => {
    [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.remove();
  });

  async function start(options?: { demo?: boolean }): Promise<AppRig> {
    const rig = await startAppRig(browser, pages.directory, options);
    onTestFinished(rig.stop);
    return rig;
  }

  return {
    start,
    async openSession(seed = {}, options = {}) {
      const rig = await start();
      const title = seed.title ?? 'One';
      const { sessions } = await rig.seed('api', [{ ...seed, title }]);
      const page = await rig.open(options);
      const user = createUser(page);
      await user.open(title);
      const agent = seed.cliType === 'codex' ? rig.codex : rig.claude;
      return { rig, page, user, agent, id: sessions[0]?.id ?? '' };
    },
  };
}
