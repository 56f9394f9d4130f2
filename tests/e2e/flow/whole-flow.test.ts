import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gate, say, shell } from '../../../scripted-model/index.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { createUser, type User } from '../../support/browser/user.ts';
import { createProduct, type Product } from './product.ts';

const rules = [
  { when: 'tools', scenario: [[say('Two tools.'), shell('echo first'), shell('exit 3')], [say('Tools are done.')]] },
  { when: 'stream', scenario: [[say('It begins. '), gate('stream'), say('It ends.')]] },
];

/** Eight conversations, four per agent, in two projects. The first message becomes the title. */
const conversations = [1, 2, 3, 4].flatMap((number) =>
  ['Claude Code', 'Codex'].map((agent) => ({
    agent,
    title: `What is the context of ${agent} ${number}?`,
    project: number % 2 === 0 ? 'alpha' : 'beta',
  })),
);
const titleOf = (agent: string, number: number) => `What is the context of ${agent} ${number}?`;
const AGENTS = ['Claude Code', 'Codex'];
const archived = titleOf('Claude Code', 4);
const remaining = conversations.filter(({ title }) => title !== archived);

let product: Product;
let browser: Browser;
let page: Page;
let user: User;
const consoleErrors: string[] = [];

beforeAll(async () => {
  product = await createProduct({ rules, projects: ['alpha', 'beta'] });
  browser = await launchChromium();
  await product.start();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  page.on('console', (entry) => {
    if (entry.type() === 'error') consoleErrors.push(entry.text());
  });
  user = createUser(page);
});

afterAll(async () => {
  await browser?.close();
  await product?.close();
});

/** The current text of every conversation. */
async function readAll(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { title } of remaining) {
    await user.openTab(title);
    await user.sees('I know 1 user messages.');
    texts[title] = await conversation();
  }
  return texts;
}

/** A tab that is opened after a resync may show its old content for a moment. */
async function expectAll(expected: Record<string, string>): Promise<void> {
  for (const { title } of remaining) {
    await user.openTab(title);
    await expect.poll(conversation).toBe(expected[title]);
  }
}

/** The text of the open conversation, and the footers of its turns. How long a tool took is only shown live. */
async function conversation(): Promise<string> {
  const lines = (await user.text()).split('\n').map((line) => line.trim());
  const footers = await user.log().locator('.turn-facts').allTextContents();
  return [...lines.filter((line) => line !== '' && !/^(< )?[\d.]+ s$/.test(line)), ...footers].join('\n');
}

it('stream/TC-8.1a stream/TC-8.2a mvp/TC-2.2d mvp/TC-2.2e eight sessions of both agents answer in eight tabs', async () => {
  await page.goto(product.url);
  for (const path of product.projectDirs) await user.addProject(path);
  for (const { title, agent, project } of conversations) {
    await user.newSession(project, agent);
    await user.send(title);
    await user.sees('I know 1 user messages.');
    await user.isReady();
    await user.tab(title).waitFor();
  }
  expect(await page.getByRole('tab').count()).toBe(8);
}, 120_000);

it.each(AGENTS)('stream/TC-8.1b stream/TC-8.2b %s shows its tools with name, arguments and results', async (agent) => {
  await user.openTab(titleOf(agent, 1));
  await user.send('Use the tools');
  await user.sees('Tools are done.');
  await user.isReady();
  const text = await user.text();
  expect(text).toContain('echo first');
  expect(text).toContain('exit 3');
  expect(text).toMatch(/exit code 3/i);
});

it.each(AGENTS)(
  'stream/TC-8.1c a cancelled turn of %s stops and the session accepts the next message',
  async (agent) => {
    await user.openTab(titleOf(agent, 2));
    await user.send('Please stream');
    await user.sees('It begins.');
    await user.chat().getByRole('button', { name: 'Cancel', exact: true }).click();
    await user.isReady();
    expect(await user.text()).not.toContain('It ends.');
    await user.send('And the context?');
    await user.sees('I know 3 user messages.');
    await user.isReady();
  },
);

it('stream/TC-8.3a switching between tabs of both agents shows the conversation of each', async () => {
  await user.openTab(titleOf('Claude Code', 1));
  expect(await user.text()).toContain('Use the tools');
  await user.openTab(titleOf('Codex', 3));
  expect(await user.text()).not.toContain('Use the tools');
});

it('mvp/TC-2.4b archiving a session removes it from the sidebar and closes its tab', async () => {
  await user.archive(archived);
  await expect.poll(() => page.getByRole('tab').count()).toBe(7);
  await expect.poll(() => user.row(archived).count()).toBe(0);
});

it('stream/TC-8.3b mvp/TC-5.6a a refresh restores every tab and conversation', async () => {
  const before = await readAll();
  await page.reload();
  await expect.poll(() => page.getByRole('tab').count()).toBe(7);
  await expectAll(before);
}, 60_000);

it.each(AGENTS)(
  'a killed %s is reported and continues with its context after the next message',
  async (agent) => {
    await user.openTab(titleOf(agent, 3));
    await user.send('Please stream');
    await user.sees('It begins.');
    const program = agent === 'Codex' ? /codex-acp/ : /claude-agent-sdk/;
    const victims = product.agentProcesses().filter(({ command }) => program.test(command));
    expect(victims.length).toBeGreaterThan(0);
    for (const { pid } of victims) process.kill(pid, 'SIGKILL');
    await user.isReady();
    await user.send('And the context?');
    await user.sees('I know 3 user messages.');
    await user.isReady();
  },
  60_000,
);

it('after a kill of the server conversations are complete, contexts are kept and no process is left', async () => {
  const before = await readAll();
  await user.openTab(titleOf('Claude Code', 1));
  await product.killServer();
  const strays = product.agentProcesses().map(({ pid }) => pid);
  await product.start();
  const restarted = performance.now();
  await page.getByText('Server connected').waitFor();
  expect(performance.now() - restarted).toBeLessThan(2_000);
  await expectAll(before);
  expect(product.agentProcesses().filter(({ pid }) => strays.includes(pid))).toEqual([]);
  for (const agent of AGENTS) {
    await user.openTab(titleOf(agent, 4 - (agent === 'Claude Code' ? 1 : 0)));
    await user.send('And the context now?');
    await user.sees(agent === 'Claude Code' ? 'I know 4 user messages.' : 'I know 2 user messages.');
    await user.isReady();
  }
}, 120_000);

it('Ctrl-C stops everything within six seconds, and the console has no errors', async () => {
  const start = performance.now();
  expect(await product.interrupt()).toBe(0);
  expect(performance.now() - start).toBeLessThan(6_000);
  expect(product.agentProcesses()).toEqual([]);
  expect(consoleErrors.filter((text) => !/ERR_CONNECTION_REFUSED|WebSocket connection to/.test(text))).toEqual([]);
});
