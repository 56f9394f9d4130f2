import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../../shared/commands.ts';
import { fromCanonical, toCanonical } from '../../../shared/ids.ts';
import { turnEnd } from '../../support/product/product-scene.ts';
import { openClaude } from '../../support/terminals/claude-terminal.ts';
import { codexSessions, openCodex } from '../../support/terminals/codex-terminal.ts';
import { type FollowScene, openFollowScene } from './follow-scene.ts';

/** How long until the list says that nobody has a session open any more. */
const LIMIT_MS = 2_000;

let scene: FollowScene;
beforeAll(async () => {
  scene = await openFollowScene();
  await scene.start();
});
afterAll(() => scene.close());

async function deletion(sessionId: string): Promise<unknown> {
  const { origin, token } = scene.server;
  const path = commands['session:delete'].http.path.replace(':id', encodeURIComponent(sessionId));
  const response = await fetch(`${origin}${path}`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
  return response.json();
}

async function isFree(sessionId: string): Promise<number> {
  const from = performance.now();
  await scene.listed(sessionId, ({ heldBy }) => heldBy === undefined);
  return performance.now() - from;
}

test('follow/held a terminal that opens our session is named, our process ends, and nothing is sent or deleted meanwhile', async () => {
  const sessionId = await scene.server.createSession('claude-code', scene.projectDir);
  const window = await scene.server.window();
  await window.ask('session:subscribe', { sessionId });
  expect(await turnEnd(window, await scene.server.send(sessionId, 'say one'))).toBe('turn_complete');
  const { nativeId } = fromCanonical(sessionId);
  const isAlive = async () => (await window.ask('session:status', { sessionId })).isAlive;
  expect(await isAlive()).toBe(true);

  const terminal = await openClaude(scene.home, { resume: nativeId });
  const { heldBy } = await scene.listed(sessionId, (item) => item.heldBy !== undefined);
  const { pid, tty } = terminal.terminal;
  expect(heldBy).toMatchObject({ pid, tty, certain: true });
  await expect.poll(isAlive).toBe(false);
  expect(await window.ask('session:send', { sessionId, content: 'say two' })).toMatchObject({ code: 'SESSION_IN_USE' });
  expect(await deletion(sessionId)).toMatchObject({ code: 'SESSION_IN_USE', details: { heldBy: { pid } } });
  await terminal.ask('say three');
  await terminal.quit();
  expect(await isFree(sessionId)).toBeLessThan(LIMIT_MS);

  const again = await openClaude(scene.home, { resume: nativeId });
  await scene.listed(sessionId, (item) => item.heldBy?.pid === again.terminal.pid);
  await again.kill();
  expect(await isFree(sessionId)).toBeLessThan(LIMIT_MS);
  expect(await turnEnd(window, await scene.server.send(sessionId, 'say four'))).toBe('turn_complete');
  const request = scene.model.requests.findLast(({ conversation }) => conversation.prompt === 'say four');
  expect(request?.conversation.userMessages).toEqual(['say one', 'say three', 'say four']);
});

test('follow/held a session that a Codex terminal has open is neither sent to nor deleted', async () => {
  const terminal = await openCodex(scene.home);
  await terminal.ask('say five');
  const [nativeId = ''] = codexSessions(scene.home);
  const sessionId = toCanonical('codex', nativeId);
  const window = await scene.server.window();
  await scene.listed(sessionId, (item) => item.heldBy?.certain === true);
  expect(await window.ask('session:send', { sessionId, content: 'say six' })).toMatchObject({ code: 'SESSION_IN_USE' });
  expect(await deletion(sessionId)).toMatchObject({ code: 'SESSION_IN_USE' });
  await terminal.quit();
});
