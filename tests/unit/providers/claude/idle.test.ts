import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { scratchDirectory } from '../../../support/scratch-directory.ts';
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

const task = (what: 'started' | 'notification', facts: object) => ({
  type: 'system',
  subtype: `task_${what}`,
  task_id: 'task-1',
  description: 'a task',
  ...facts,
});

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

test('engine/background-live claude: a session with work in the background is not put to sleep', async () => {
  const rig = createProviderRig({ sleepAfterMs: MINUTE });
  const { run, sessionId } = await startTurn(rig);
  const call = { type: 'tool_use', id: 'call-1', name: 'Bash', input: {} };
  for (const message of [messageStart('m'), blockStart(0, call), assistant('m', call)]) run.say(message);
  run.say(task('started', { tool_use_id: 'call-1', is_backgrounded: true, task_type: 'local_bash' }));
  run.say(result('turn-1'));
  await drain();
  rig.clock.advance(2 * MINUTE);
  await drain();
  expect(rig.provider.isAlive(sessionId)).toBe(true);
  run.say(task('notification', { status: 'completed', summary: '', output_file: '' }));
  await drain();
  rig.clock.advance(MINUTE);
  await drain();
  expect(rig.provider.isAlive(sessionId)).toBe(false);
});

test('engine/background-stop claude: stopping background work asks Claude Code for it, by task', async () => {
  const rig = createProviderRig();
  const { run, sessionId, upserts } = await startTurn(rig);
  for (const id of ['one', 'two']) {
    const call = { type: 'tool_use', id, name: 'Bash', input: {} };
    for (const message of [messageStart(id), blockStart(0, call), assistant(id, call)]) run.say(message);
    const facts = { task_id: `task-${id}`, tool_use_id: id, is_backgrounded: true, task_type: 'local_bash' };
    run.say(task('started', facts));
  }
  run.say(result('turn-1'));
  await drain();
  const second = upserts.findLast((upsert) => upsert.type === 'tool_call' && upsert.callId === 'two');
  await rig.provider.stopBackground(sessionId, second?.itemId);
  expect(run.stoppedTasks).toEqual(['task-two']);
  run.say(task('notification', { task_id: 'task-two', status: 'stopped', summary: 'two', output_file: '' }));
  await drain();
  await rig.provider.stopBackground(sessionId);
  expect(run.stoppedTasks).toEqual(['task-two', 'task-one']);
});

test('engine/background-live claude: what a shell in the background writes is shown while it runs', async () => {
  const rig = createProviderRig();
  const { run, upserts } = await startTurn(rig);
  const file = join(scratchDirectory(), 'task-1.output');
  const call = { type: 'tool_use', id: 'call-1', name: 'Bash', input: {} };
  for (const message of [messageStart('m'), blockStart(0, call), assistant('m', call)]) run.say(message);
  run.say(task('started', { tool_use_id: 'call-1', is_backgrounded: true, task_type: 'local_bash' }));
  const text = `Command running in background with ID: task-1. Output is being written to: ${file}. You will be notified.`;
  const launched = { type: 'tool_result', tool_use_id: 'call-1', content: text };
  const details = { stdout: '', stderr: '', backgroundTaskId: 'task-1' };
  run.say({ type: 'user', parent_tool_use_id: null, message: { content: [launched] }, tool_use_result: details });
  run.say(result('turn-1'));
  await drain();
  const outputs = () =>
    upserts.flatMap((upsert) => (upsert.type === 'tool_call' && upsert.toolOutput ? [upsert.toolOutput] : []));

  writeFileSync(file, `${'x'.repeat(70_000)}\nfirst\n`);
  rig.clock.advance(1_000);
  await vi.waitFor(() => expect(outputs()).toEqual(['first']));
  appendFileSync(file, 'second\n\n[exited with code 0]\n');
  const end = { status: 'completed', summary: 'Background command "x" completed (exit code 0)', output_file: file };
  run.say(task('notification', end));
  await vi.waitFor(() => expect(upserts.at(-1)).toMatchObject({ status: 'complete' }));
  expect(upserts.at(-1)).toMatchObject({ toolOutput: 'first\nsecond', exitCode: 0, toolOutputIsError: false });
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
