import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../../server/providers/find-program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { prepareProductScene, textsOf, turnEnd } from '../../support/product/product-scene.ts';

const SOURCE = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));
const ECHO = fileURLToPath(new URL('../../../examples/echo-agent.mjs', import.meta.url));

const bun = findProgram('bun', process.env.PATH);
if (bun === undefined) console.info('Bun is not on the PATH, so the server was tested only with Node.');

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct({ withPages: true });
});
afterAll(() => product.remove());

type Runtime = readonly [name: string, command: () => readonly string[]];
const underBun: readonly Runtime[] = [
  ['Bun, built', () => [String(bun), product.main]],
  ['Bun, from its sources', () => [String(bun), SOURCE]],
];
const runtimes: readonly Runtime[] = [
  ['Node, built', () => [process.execPath, product.main]],
  ...(bun === undefined ? [] : underBun),
];

describe.each(runtimes)('under %s', (_, command) => {
  test('the page is served and the token is required', async () => {
    const { origin, stop } = await (await prepareProductScene(ECHO)).start(command());
    const page = await fetch(`${origin}/`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<!doctype html>');
    expect((await fetch(`${origin}/api/health`)).status).toBe(200);
    expect((await fetch(`${origin}/api/project`)).status).toBe(401);
    const elsewhere = { headers: { origin: 'http://evil.example' } };
    expect((await fetch(`${origin}/api/health`, elsewhere)).status).toBe(403);
    expect(await stop()).toMatchObject({ code: 0, signal: null });
  });

  test('a conversation streams, survives kill -9 and a restart, and no process is left', async () => {
    const { start, projectDir, survivors } = await prepareProductScene(ECHO);
    const first = await start(command());
    const sessionId = await first.createSession('fixture', projectDir);
    const window = await first.window();
    await window.ask('session:subscribe', { sessionId });
    await turnEnd(window, await first.send(sessionId, 'one two three'));
    await first.stop('SIGKILL');

    const second = await start(command());
    expect(survivors()).toEqual([second.pid]);
    expect(await textsOf(second, sessionId)).toEqual(['one two three', 'one two three']);
    expect(await second.stop()).toMatchObject({ code: 0, signal: null });
    expect(survivors()).toEqual([]);
  });
});
