import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../support/processes/program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { type ProductScene, prepareProductScene, textsOf, turnEnd } from '../../support/product/product-scene.ts';

const [STUBBORN = ''] = program('stubborn-agent').args;
const EXIT_WITHIN_MS = 6000;

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct();
});
afterAll(() => product.remove());

/** A server with sessions that have answered once and now run a tool that ignores requests to stop. */
async function startWorking(scene: ProductScene, sessions: number) {
  const server = await scene.start([process.execPath, product.main]);
  const window = await server.window();
  const sessionIds: string[] = [];
  for (let count = 0; count < sessions; count += 1) {
    const sessionId = await server.createSession('fixture', scene.projectDir);
    await window.ask('session:subscribe', { sessionId });
    await turnEnd(window, await server.send(sessionId, 'echo before'));
    const turnId = await server.send(sessionId, 'work');
    await window.next(({ payload }) => payload?.type === 'message' && payload.itemId === `${turnId}:agent:text`);
    sessionIds.push(sessionId);
  }
  expect(scene.survivors()).toHaveLength(1 + 2 * sessions);
  return { server, sessionIds };
}

test('after kill -9 of the server with running agents the next server leaves no process and has every conversation', async () => {
  const scene = await prepareProductScene(STUBBORN);
  const { server, sessionIds } = await startWorking(scene, 3);
  await server.stop('SIGKILL');
  expect(scene.survivors()).toHaveLength(6);

  const next = await scene.start([process.execPath, product.main]);
  expect(scene.survivors()).toEqual([next.pid]);
  const window = await next.window();
  const { projects } = await window.ask('project:list');
  const { sessions = [] } = await window.ask('session:list', { projectId: projects?.[0]?.id });
  expect(sessions.map(({ id }) => id).sort()).toEqual([...sessionIds].sort());
  expect(sessions.every(({ running }) => !running)).toBe(true);
  for (const sessionId of sessionIds) {
    const texts = await textsOf(next, sessionId);
    expect(texts.slice(0, 3)).toEqual(['echo before', 'echo before', 'work']);
    // What was shown less than a second before may be missing.
    expect([[], ['the tool runs']]).toContainEqual(texts.slice(3));
  }

  const [sessionId = ''] = sessionIds;
  await window.ask('session:subscribe', { sessionId });
  expect(await turnEnd(window, await next.send(sessionId, 'echo after'))).toBe('turn_complete');
  expect((await textsOf(next, sessionId)).slice(-2)).toEqual(['echo after', 'echo after']);
});

test('SIGTERM while agents ignore it stops everything within six seconds and keeps their output', async () => {
  const scene = await prepareProductScene(STUBBORN);
  const { server, sessionIds } = await startWorking(scene, 2);
  const startedAt = performance.now();
  const exit = await server.stop('SIGTERM');
  expect(performance.now() - startedAt).toBeLessThan(EXIT_WITHIN_MS);
  expect(exit).toMatchObject({ code: 0, signal: null });
  expect(scene.survivors()).toEqual([]);

  const next = await scene.start([process.execPath, product.main]);
  for (const sessionId of sessionIds) {
    expect(await textsOf(next, sessionId)).toEqual(['echo before', 'echo before', 'work', 'the tool runs']);
  }
});
