import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AppRig, startAppRig } from '../support/browser/app-rig.ts';
import { type BuiltPages, buildPages } from '../support/browser/built-pages.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { type Stranger, type StrangerOptions, startStranger } from '../support/browser/stranger.ts';
import { type Tries, tryEverything } from '../support/server/try-everything.ts';

/** How often each situation is tried. The full count is in `npm run strangers`. */
const ROUNDS = Number(process.env.LIMINAL_STRANGERS ?? 1);
const BOTH = ['127.0.0.1', '::1'];

let browser: Browser;
let pages: BuiltPages;
const figures = { rounds: 0, tries: 0 };
beforeAll(async () => {
  [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
});
afterAll(async () => {
  await browser?.close();
  await pages?.remove();
  if (ROUNDS > 1) console.log(`${figures.rounds} takeovers, ${figures.tries} tries with what was heard`);
});

interface Scene {
  readonly rig: AppRig;
  readonly page: Page;
  /** Stops our server and lets another program take its port. */
  takePort(options?: Partial<StrangerOptions>): Promise<Stranger>;
  /** Gives the port back to our server, and tries everything that the other program heard. */
  tryAll(): Promise<Tries>;
}

async function createScene(hosts: readonly string[], otherUser: boolean): Promise<Scene> {
  const rig = await startAppRig(browser, pages.directory);
  onTestFinished(rig.stop);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const strangers: Stranger[] = [];
  onTestFinished(async () => {
    for (const stranger of strangers) await stranger.stop();
  });
  return {
    rig,
    page,
    async takePort(options = {}) {
      await rig.halt();
      const stranger = await startStranger({ port: rig.port, hosts, otherUser, ...options });
      strangers.push(stranger);
      return stranger;
    },
    async tryAll() {
      for (const stranger of strangers) await stranger.stop();
      await rig.restart();
      const texts = strangers.flatMap((stranger) => stranger.heard().map(({ text }) => text));
      const url = `http://127.0.0.1:${rig.port}`;
      return tryEverything({ url, socketUrl: `ws://127.0.0.1:${rig.port}/ws`, origin: rig.address }, texts);
    },
  };
}

const connected = (page: Page) => page.getByText('Server connected').waitFor();
const stopped = (page: Page) => page.getByRole('alert').getByText('Another program answers').waitFor();
/** The page has kept its key. */
const known = (page: Page) => expect.poll(() => new URL(page.url()).hash).toBe('');

const situations: readonly [string, (scene: Scene) => Promise<void>][] = [
  [
    'before the first load',
    async ({ rig, page, takePort }) => {
      const printed = rig.pageUrl();
      const stranger = await takePort();
      await page.goto(printed);
      await stranger.has('looted');
    },
  ],
  [
    'between loads',
    async ({ rig, page, takePort }) => {
      await page.goto(rig.pageUrl());
      await connected(page);
      await known(page);
      await page.goto('about:blank');
      const stranger = await takePort();
      await page.goto(rig.address);
      await stranger.has('looted');
      const loot = stranger.heard().filter(({ kind, text }) => kind === 'body' && text.includes('databases'));
      expect(loot[0]?.text).toContain('not extractable');
    },
  ],
  [
    'while a page is open',
    async ({ rig, page, takePort }) => {
      await page.goto(rig.pageUrl());
      await connected(page);
      await known(page);
      const stranger = await takePort();
      await stopped(page);
      const frames = stranger.heard().filter(({ kind }) => kind === 'frame');
      expect(frames.map(({ text }) => JSON.parse(text))).toEqual([
        { type: 'hello', nonce: expect.stringMatching(/^[\w-]{43}$/), by: 'key' },
      ]);
    },
  ],
];

const takers: readonly [string, readonly string[], boolean][] = [
  ['a program on IPv4', ['127.0.0.1'], false],
  ['another user on IPv6', ['::1'], true],
  ['another user on both', BOTH, true],
];

describe('safe/port-taken a port that is taken', () => {
  it.each(
    situations.flatMap(([when, act]) => takers.map(([who, hosts, other]) => [when, who, hosts, other, act] as const)),
  )(
    '%s by %s gets nothing that gives access',
    async (_when, _who, hosts, otherUser, act) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const scene = await createScene(hosts, otherUser);
        await act(scene);
        const { tried, admitted } = await scene.tryAll();
        figures.rounds += 1;
        figures.tries += tried;
        expect(admitted).toEqual([]);
        expect(tried).toBeGreaterThan(3);
      }
    },
    60_000 * ROUNDS,
  );

  it('by a program that passes everything on to our server on another port gets nothing', async () => {
    const { rig, page, takePort, tryAll } = await createScene(BOTH, true);
    await page.goto(rig.pageUrl());
    await connected(page);
    await known(page);
    const other = await startAppRig(browser, pages.directory);
    onTestFinished(other.stop);

    const stranger = await takePort({ relayTo: other.port });
    await stopped(page);

    // Our server did answer, and the page refused its proof.
    expect(stranger.heard().some(({ kind, text }) => kind === 'relayed' && text.includes('"proof"'))).toBe(true);
    expect(stranger.heard().filter(({ kind }) => kind === 'frame')).toHaveLength(1);
    expect((await tryAll()).admitted).toEqual([]);
  });

  it('is noticed, and the page goes on when our server is back', async () => {
    const { rig, page, takePort, tryAll } = await createScene(BOTH, false);
    await page.goto(rig.pageUrl());
    await connected(page);
    await known(page);
    const stranger = await takePort();
    await stopped(page);
    const count = stranger.heard().length;
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    expect(stranger.heard()).toHaveLength(count);
    await tryAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await connected(page);
    await page.reload();
    await connected(page);
  });
});

describe('safe/service-worker a service worker that another program left', () => {
  it('at the plain address has no part in the page at its own name', async () => {
    const { rig, page, takePort, tryAll } = await createScene(BOTH, false);
    const stranger = await takePort({ worker: true });
    await page.goto(`http://127.0.0.1:${rig.port}/`);
    await stranger.has('looted');
    await stranger.stop();
    await rig.restart();

    await page.goto(rig.pageUrl());
    await connected(page);
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    await rig.halt();
    expect((await tryAll()).admitted).toEqual([]);
  });

  it('at the same address is removed before the page starts, and the page says so', async () => {
    const { rig, page, takePort } = await createScene(BOTH, false);
    const stranger = await takePort({ worker: true });
    const plain = `http://127.0.0.1:${rig.port}/`;
    await page.goto(plain);
    await stranger.has('looted');
    await stranger.stop();
    await rig.restart();

    await page.goto(`${plain}${new URL(rig.pageUrl()).hash}`);
    await page.reload();
    await page.getByRole('alert').getByText('service worker').first().waitFor();
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
    await page.getByRole('button', { name: 'Reload' }).click();
    await connected(page);
  });
});
