import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildIfNeeded } from './build-if-needed.mjs';
import { findBrowser } from './find-browser.ts';

/** Takes screenshots for the README: real server, real agents, scripted model. */

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'screenshots');
const SCREEN = 900;
const TURN_MS = 60_000;
const widths = { wide: { width: 1440, height: SCREEN }, narrow: { width: 700, height: SCREEN } };
const schemes = ['dark', 'light'] as const;

interface State {
  readonly name: string;
  readonly demo: boolean;
  readonly arrange: (page: Page) => Promise<void>;
}

const chat = (page: Page) => page.frameLocator('[role=tabpanel]:not([hidden]) iframe');

async function openSession(page: Page, title: string): Promise<void> {
  await page
    .getByRole('navigation')
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .click();
  await chat(page).getByRole('textbox', { name: 'Message' }).waitFor();
}

const cancelButton = (page: Page) => chat(page).getByRole('button', { name: 'Cancel', exact: true });

/** Sends a message once the previous turn has ended. */
async function say(page: Page, text: string): Promise<void> {
  await cancelButton(page).waitFor({ state: 'hidden', timeout: TURN_MS });
  const message = chat(page).getByRole('textbox', { name: 'Message' });
  await message.fill(text);
  await message.press('Enter');
}

async function askAndWait(page: Page, question: string): Promise<void> {
  await say(page, question);
  await cancelButton(page).waitFor();
  await cancelButton(page).waitFor({ state: 'hidden', timeout: TURN_MS });
}

const manyQuestions = [
  'Explain how the total comes about',
  'Delegate: how many tests are there?',
  'What if the model is overloaded? Retry',
  'Fix the test once more, from the start',
  'Explain the units to someone new',
  'Delegate: count them again',
  'Fix the test a last time',
  'Explain it in short for the notes',
];

const states: readonly State[] = [
  {
    name: 'empty',
    demo: false,
    arrange: async (page) => {
      await page.getByText('Start with a project').waitFor();
    },
  },
  {
    name: 'busy',
    demo: true,
    arrange: async (page) => {
      await openSession(page, 'Explain how the cart');
      await openSession(page, 'Fix the failing test');
      await chat(page).getByText('both tests pass').waitFor();
      await chat(page).getByText('src/cart.js').nth(1).click();
      await say(page, 'Tell me a long story');
      await chat(page).getByText('The build was green').first().waitFor();
    },
  },
  {
    name: 'error',
    demo: true,
    arrange: async (page) => {
      await openSession(page, 'Write the release notes');
      await chat(page).getByText('refuses this prompt').first().waitFor();
    },
  },
  {
    name: 'long',
    demo: true,
    arrange: async (page) => {
      for (const title of ['Write the release notes', 'Explain how the cart', 'Fix the failing test']) {
        await openSession(page, title);
      }
      await chat(page).getByText('both tests pass').waitFor();
      for (const question of manyQuestions) await askAndWait(page, question);
      await chat(page).getByRole('log').hover();
      await page.mouse.wheel(0, -2 * SCREEN);
      await chat(page).getByRole('button', { name: 'Scroll to bottom' }).waitFor();
    },
  },
];

async function startServer(demo: boolean, dataDir: string): Promise<{ server: ChildProcess; url: string }> {
  const args = [join(root, 'dist/server/main.js'), '--port', '0', '--no-open', '--data-dir', dataDir];
  const server = spawn(process.execPath, demo ? [...args, '--demo'] : args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /ready at (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return { server, url };
  }
  throw new Error('The server ended before it was ready.');
}

/** One page for all screenshots of a state, so that each conversation happens once. */
async function shoot(browser: Browser, url: string, state: State): Promise<void> {
  const context = await browser.newContext({ viewport: widths.wide });
  const page = await context.newPage();
  await page.goto(url);
  await state.arrange(page);
  await page.mouse.move(0, SCREEN - 1);
  for (const [size, viewport] of Object.entries(widths)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${state.name}-${size}-${colorScheme}.png`), animations: 'disabled' });
    }
  }
  await context.close();
}

buildIfNeeded();
await mkdir(folder, { recursive: true });
const scratch = await mkdtemp(join(tmpdir(), 'liminal-pictures-'));
const browser = await chromium.launch({
  executablePath: findBrowser(process.env),
  args: [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--force-color-profile=srgb',
  ],
});
try {
  for (const state of states) {
    const { server, url } = await startServer(state.demo, join(scratch, state.name));
    try {
      await shoot(browser, url, state);
    } finally {
      const exited = once(server, 'exit');
      server.kill('SIGTERM');
      await exited;
    }
  }
} finally {
  await browser.close();
  await rm(scratch, { recursive: true, force: true });
}
