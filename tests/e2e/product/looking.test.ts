import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claudeEnvironment, prepareCodexHome, say, shell, startScriptedModel } from '../../../scripted-model/index.ts';
import { createProcessLedger } from '../../../server/processes/index.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { createUser } from '../../support/browser/user.ts';
import { program } from '../../support/processes/program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { prepareProductScene, turnEnd } from '../../support/product/product-scene.ts';

const [NO_AGENT = ''] = program('print-nothing').args;

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct({ withPages: true, withAgents: true });
});
afterAll(() => product.remove());

test('safe/no-process looking at sessions of both agents in a browser starts nothing, the first keystroke starts one', async () => {
  const model = await startScriptedModel({
    rules: [
      { when: 'claude', scenario: [[shell('echo by claude')], [say('Claude was here.')]] },
      { when: 'codex', scenario: [[shell('echo by codex')], [say('Codex was here.')]] },
    ],
  });
  onTestFinished(() => model.close());
  const scene = await prepareProductScene(NO_AGENT, async (home) => {
    const agent = { baseUrl: model.url, home };
    return { ...claudeEnvironment(agent), ...(await prepareCodexHome(agent)) };
  });
  const server = await scene.start([process.execPath, product.main]);
  const window = await server.window();
  for (const [cliType, text] of [
    ['claude-code', 'claude, look'],
    ['codex', 'codex, look'],
  ] as const) {
    const sessionId = await server.createSession(cliType, scene.projectDir);
    await window.ask('session:subscribe', { sessionId });
    expect(await turnEnd(window, await server.send(sessionId, text))).toBe('turn_complete');
  }
  await server.stop();
  expect(scene.survivors()).toEqual([]);

  const next = await scene.start([process.execPath, product.main]);
  const agents = () => createProcessLedger(join(scene.dataDir, 'processes')).entries().length;
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${next.origin}/#token=${next.token}`);
  const user = createUser(page);
  for (const [title, answer] of [
    ['claude, look', 'Claude was here.'],
    ['codex, look', 'Codex was here.'],
  ] as const) {
    await user.open(title);
    await user.sees(answer);
    await user.message().focus();
  }
  // Longer than it takes until the server loads what a start needs.
  await expect.poll(() => page.evaluate(() => performance.now()), { timeout: 10_000 }).toBeGreaterThan(2_500);
  expect(scene.survivors()).toEqual([next.pid]);

  await user.message().press('a');
  await expect.poll(agents, { timeout: 10_000 }).toBe(1);
  await user.message().press('b');
  await user.openTab('claude, look');
  await user.message().press('a');
  await expect.poll(agents, { timeout: 10_000 }).toBe(2);
  await user.send('claude, again');
  await expect.poll(() => user.said()).toHaveLength(4);
  await user.isReady();
}, 120_000);
