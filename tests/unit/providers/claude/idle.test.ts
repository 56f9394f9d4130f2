import { expect, test } from 'vitest';
import {
  assistant,
  blockStart,
  createProviderRig,
  drain,
  init,
  lifecycle,
  messageStart,
  result,
} from './provider-rig.ts';

const MINUTE = 60_000;

async function startTurn(rig: ReturnType<typeof createProviderRig>) {
  const created = await rig.create();
  const sending = rig.provider.sendMessage(created.sessionId, 'hello', { turnId: 'turn-1' });
  created.run.say(lifecycle('turn-1', 'queued'));
  await sending;
  created.run.say(init('turn-1'));
  await drain();
  return created;
}

test('a turn that is silent for too long is given up, and its process with it', async () => {
  const rig = createProviderRig({ promptTimeoutMs: 10 * MINUTE });
  const { run, turns, sessionId } = await startTurn(rig);
  rig.clock.advance(9 * MINUTE);
  run.say({ type: 'tool_progress', tool_use_id: 'x', parent_tool_use_id: null });
  await drain();
  rig.clock.advance(9 * MINUTE);
  expect(turns.at(-1)).toMatchObject({ type: 'turn_started' });
  rig.clock.advance(1 * MINUTE);
  expect(turns.at(-1)).toMatchObject({ type: 'turn_error', errorCode: 'TURN_TIMEOUT' });
  await drain();
  expect(run.stopReasons).toContain('silent for too long');
  expect(rig.provider.isAlive(sessionId)).toBe(false);
});

test('a message that is never taken is refused in the end', async () => {
  const rig = createProviderRig({ promptTimeoutMs: 10 * MINUTE });
  const { run, sessionId, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello');
  await run.receivedCount(1);
  rig.clock.advance(10 * MINUTE);
  await expect(sending).rejects.toMatchObject({ code: 'PROCESS_CRASH', message: expect.stringContaining('silent') });
  expect(turns).toEqual([]);
});

test('silence is not death while a tool runs', async () => {
  const rig = createProviderRig({ promptTimeoutMs: 10 * MINUTE });
  const { run, turns } = await startTurn(rig);
  const call = { type: 'tool_use', id: 'call-1', name: 'Bash', input: {} };
  for (const message of [messageStart('m'), blockStart(0, call), assistant('m', call)]) run.say(message);
  await drain();
  rig.clock.advance(60 * MINUTE);
  expect(turns.at(-1)).toMatchObject({ type: 'turn_started' });

  const done = { type: 'tool_result', tool_use_id: 'call-1', content: 'ok' };
  run.say({ type: 'user', parent_tool_use_id: null, message: { content: [done] } });
  await drain();
  rig.clock.advance(10 * MINUTE);
  expect(turns.at(-1)).toMatchObject({ type: 'turn_error', errorCode: 'TURN_TIMEOUT' });
});

test('an idle process sleeps after a while and not while it works', async () => {
  const rig = createProviderRig({ sleepAfterMs: 15 * MINUTE, promptTimeoutMs: 60 * MINUTE });
  const { run, sessionId } = await startTurn(rig);
  rig.clock.advance(20 * MINUTE);
  await drain();
  expect(rig.provider.isAlive(sessionId)).toBe(true);
  run.say(result('turn-1'));
  await drain();
  rig.clock.advance(14 * MINUTE);
  await drain();
  expect(rig.provider.isAlive(sessionId)).toBe(true);
  rig.clock.advance(1 * MINUTE);
  await drain();
  expect(rig.provider.isAlive(sessionId)).toBe(false);
  expect(rig.statuses.at(-1)).toMatchObject({ sessionId, status: 'idle' });
  expect(rig.clock.pending).toBe(0);
});

test('beyond the limit the least recently used process sleeps', async () => {
  const rig = createProviderRig({ maxAwake: 2 });
  const first = await rig.create();
  const second = await rig.create();
  const sending = rig.provider.sendMessage(first.sessionId, 'hello', { turnId: 'turn-1' });
  first.run.say(lifecycle('turn-1', 'queued'));
  first.run.say(result('turn-1'));
  await sending;
  const third = await rig.create();
  await drain();
  const alive = [first, second, third].map(({ sessionId }) => rig.provider.isAlive(sessionId));
  expect(alive).toEqual([true, false, true]);
});
