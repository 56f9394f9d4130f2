import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { PortletToShell } from '../../../../shared/portlet-messages.ts';
import type { TurnSummary, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { type BuiltPages, buildPages } from '../../../support/browser/built-pages.ts';
import { launchChromium } from '../../../support/browser/chromium.ts';
import { hostFiles } from '../../../support/browser/host-page.ts';
import { type StaticServer, serveStatic } from '../../../support/browser/static-server.ts';
import type { Told } from '../../../support/browser/told.ts';
import { type Watch, watch } from './watch.ts';

export interface SessionPageRig {
  readonly context: BrowserContext;
  /** The host page, in place of the shell. */
  readonly page: Page;
  readonly frame: Frame;
  readonly origin: string;
  readonly watched: Watch;
  tell(...messages: readonly Told[]): Promise<void>;
  /** Everything that the session page said so far. */
  heard(): Promise<readonly PortletToShell[]>;
  open(entries: readonly UpsertObject[], turns?: readonly TurnSummary[]): Promise<void>;
  /** Streams texts in parallel, one code unit per frame, and completes them. */
  stream(streams: readonly { readonly upsert: UpsertObject; readonly text: string }[]): Promise<void>;
  /** Scrolls up until this many rows are mounted, and back down. */
  mountAll(rowCount: number): Promise<void>;
  /** Waits until all messages have been drawn. */
  settle(): Promise<void>;
}

/** Builds the pages and starts a browser and a server for a test file. Each test opens its own page. */
export function useSessionPage(): {
  start(options?: BrowserContextOptions): Promise<SessionPageRig>;
  browser(): Browser;
} {
  let browser: Browser;
  let pages: BuiltPages;
  let server: StaticServer;
  beforeAll(async () => {
    [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
    server = await serveStatic(pages.directory, hostFiles);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await pages?.remove();
  });
  return {
    browser: () => browser,
    async start(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
      onTestFinished(() => context.close());
      return openHost(context, server.origin);
    },
  };
}

export async function openHost(context: BrowserContext, origin: string): Promise<SessionPageRig> {
  const watched = await watch(context, origin);
  const page = await context.newPage();
  await page.goto(`${origin}/host.html`);
  await page.waitForFunction(() =>
    Reflect.get(window, 'heard').some(({ type }: { type: string }) => type === 'portlet:ready'),
  );
  const frame = page.frames().find((candidate) => candidate.url().includes('/portlet/'));
  if (frame === undefined) throw new Error('The session page has no frame.');

  const tell = (...messages: readonly Told[]): Promise<void> =>
    page.evaluate((list) => Reflect.get(window, 'tell')(list), messages);
  const rig: SessionPageRig = {
    context,
    page,
    frame,
    origin,
    watched,
    tell,
    heard: () => page.evaluate(() => Reflect.get(window, 'heard')),
    stream: (streams) => page.evaluate((list) => Reflect.get(window, 'stream')(list), streams),
    async mountAll(rowCount) {
      await frame.getByRole('log').evaluate(async (log, count) => {
        const drawn = () => new Promise(requestAnimationFrame);
        while (log.querySelectorAll('.chunk > .row').length < count) {
          log.scrollTop = 0;
          await drawn();
        }
        log.scrollTop = log.scrollHeight;
        await drawn();
      }, rowCount);
      await rig.settle();
    },
    settle: () => page.evaluate(() => Reflect.get(window, 'settle')()),
    open: (entries, turns = []) => tell({ type: 'session:history', entries: [...entries], turns: [...turns] }),
  };
  await tell(
    { type: 'connection', state: 'connected' },
    {
      type: 'session:info',
      title: 'Fix the login redirect',
      agentLabel: 'Claude Code',
      cliType: 'claude-code',
      projectPath: '/home/dev/project',
      demo: false,
    },
    { type: 'agent:status', status: 'connected' },
  );
  return rig;
}
