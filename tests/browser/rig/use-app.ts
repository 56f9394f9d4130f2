import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { SessionId } from '../../../shared/ids.ts';
import type { ScriptedProvider } from '../../support/agents/scripted-provider.ts';
import { type AppRig, type AppRigOptions, type SessionSeed, startAppRig } from '../../support/browser/app-rig.ts';
import { type BuiltPages, buildPages } from '../../support/browser/built-pages.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { createUser, type User } from '../../support/browser/user.ts';

/** A page with a session of the project `api` open. */
export interface OpenSession {
  readonly rig: AppRig;
  readonly page: Page;
  readonly user: User;
  readonly id: SessionId;
  readonly agent: ScriptedProvider;
}

export interface UseApp {
  /** Starts a server for this test only. */
  start(options?: AppRigOptions): Promise<AppRig>;
  /** Starts a server for this test only and opens a page with the session `One`. */
  openSession(seed?: Partial<SessionSeed>, options?: AppRigOptions): Promise<OpenSession>;
  /** Creates a session on a page that is shared by the tests of the file. */
  newSession(agent?: 'Claude Code' | 'Codex'): Promise<OpenSession>;
}

/** Builds the pages and starts a browser for a test file. */
export function useApp(): UseApp {
  let browser: Browser;
  let pages: BuiltPages;
  let shared: { readonly rig: AppRig; readonly page: Page } | undefined;
  beforeAll(async () => {
    [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
  });
  afterAll(async () => {
    await shared?.rig.stop();
    await browser?.close();
    await pages?.remove();
  });

  async function start(options?: AppRigOptions): Promise<AppRig> {
    const rig = await startAppRig(browser, pages.directory, options);
    onTestFinished(rig.stop);
    return rig;
  }

  async function openShared() {
    const rig = await startAppRig(browser, pages.directory);
    await rig.seed('api');
    return { rig, page: await rig.open({ permissions: ['clipboard-read', 'clipboard-write'] }) };
  }

  return {
    start,
    async openSession(seed = {}, options = {}) {
      const rig = await start(options);
      const title = seed.title ?? 'One';
      const { sessions } = await rig.seed('api', [{ ...seed, title }]);
      const page = await rig.open();
      const user = createUser(page);
      await user.open(title);
      const agent = seed.cliType === 'codex' ? rig.codex : rig.claude;
      return { rig, page, user, agent, id: sessions[0]?.id ?? '' };
    },
    async newSession(label = 'Claude Code') {
      shared ??= await openShared();
      const { rig, page } = shared;
      const user = createUser(page);
      await user.newSession('api', label);
      return { rig, page, user, agent: label === 'Codex' ? rig.codex : rig.claude, id: await user.activeSession() };
    },
  };
}
