import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../support/processes/program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { prepareProductScene, textsOf, turnEnd } from '../../support/product/product-scene.ts';
import { runServerToEnd } from '../../support/product/server-process.ts';

const [STUBBORN = ''] = program('stubborn-agent').args;

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct();
});
afterAll(() => product.remove());

/**
 * Limits the size of files, which needs neither privileges nor a separate disk. Like a full disk, it accepts the part
 * of a write that fits and rejects the rest.
 */
const withinKib = (kib: number): string[] => {
  const [node, main] = [process.execPath, product.main];
  return ['bash', '-c', `ulimit -f ${kib}; exec "$@"`, 'bash', node, main];
};

test('a server without disk space at its start prints one line and exits', async () => {
  const { dataDir, env, survivors } = await prepareProductScene(STUBBORN);
  const { code, stdout, stderr } = await runServerToEnd({ command: withinKib(0), dataDir, env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^liminal-builder: [^\n]*free space[^\n]*\n$/);
  expect(survivors()).toEqual([]);
});

test('a conversation continues on a full disk, the user is told, and saved items stay intact', async () => {
  const scene = await prepareProductScene(STUBBORN);
  const server = await scene.start(withinKib(64));
  const window = await server.window();
  const sessionId = await server.createSession('fixture', scene.projectDir);
  await window.ask('session:subscribe', { sessionId });
  await turnEnd(window, await server.send(sessionId, 'fill 40'));
  await turnEnd(window, await server.send(sessionId, 'fill 41'));
  const notice = await window.next(({ payload }) => payload?.type === 'message' && payload.origin === 'system');
  expect(notice.payload).toMatchObject({ content: expect.stringContaining('cannot be saved') });
  expect(await turnEnd(window, await server.send(sessionId, 'echo on'))).toBe('turn_complete');
  await server.stop('SIGKILL');

  const folder = join(scene.dataDir, 'envelope', 'fixture');
  const lines = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8').split('\n');
  expect(lines.at(-1)).toBe('');
  const next = await scene.start([process.execPath, product.main]);
  const texts = await textsOf(next, sessionId);
  expect(texts.map((text) => text.length)).toEqual(['fill 40'.length, 40 * 1024, 'fill 41'.length]);
});
