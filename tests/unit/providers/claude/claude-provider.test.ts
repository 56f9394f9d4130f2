import { rmSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { CliProvider } from '../../../../server/engine/provider-types.ts';
import { createClaudeProvider } from '../../../../server/providers/claude/claude-provider.ts';
import {
  blockStart,
  createProviderRig,
  drain,
  init,
  lifecycle,
  messageStart,
  result,
  textDelta,
} from './provider-rig.ts';

test('stream/TC-2.1b the Claude Code provider is a provider', () => {
  expectTypeOf(createClaudeProvider).returns.toEqualTypeOf<CliProvider>();
  const { provider } = createProviderRig();
  expect(provider).toMatchObject({ cliType: 'claude-code', label: 'Claude Code' });
});

test('stream/TC-3.1a a new session has a process with an id chosen before the start', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  expect(sessionId).toBe('claude-code:id-1');
  expect(run.options).toMatchObject({ sessionId: 'id-1', cwd: rig.projectDir, includePartialMessages: true });
  expect(run.options).not.toHaveProperty('resume');
  expect(rig.provider.isAlive(sessionId)).toBe(true);
});

test('stream/TC-3.1c a directory that does not exist fails the creation and starts nothing', async () => {
  const rig = createProviderRig();
  const creating = rig.provider.createSession({ projectDir: `${rig.projectDir}/missing` });
  await expect(creating).rejects.toMatchObject({
    name: 'ProviderError',
    code: 'PROJECT_PATH_INVALID',
    message: expect.stringContaining('/missing does not exist'),
  });
  expect(rig.claude.runs).toEqual([]);
});

test('stream/TC-3.1c a missing program fails the creation, and the availability check gives the same reason', async () => {
  const rig = createProviderRig({ claudePath: '/nowhere/claude' });
  const creating = rig.provider.createSession({ projectDir: rig.projectDir });
  await expect(creating).rejects.toMatchObject({
    code: 'AGENT_UNAVAILABLE',
    message: expect.stringContaining('CLAUDE_PATH names "/nowhere/claude"'),
  });
  expect(await rig.provider.checkAvailability()).toMatchObject({
    available: false,
    reason: expect.stringContaining('CLAUDE_PATH'),
  });
});

test('stream/TC-3.1c an SDK that is not installed fails the creation and leaves no session', async () => {
  const rig = createProviderRig({ loadSdk: () => Promise.reject(new Error('Cannot find package')) });
  const creating = rig.provider.createSession({ projectDir: rig.projectDir });
  await expect(creating).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
  expect(rig.provider.statuses()).toEqual([]);
});

test('stream/TC-3.2a a message is taken when the agent names it, and is shown before its turn starts', async () => {
  const rig = createProviderRig();
  const { sessionId, run, upserts, turns } = await rig.create();
  let isBound = false;
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' }).then((answer) => {
    isBound = true;
    return answer;
  });
  await run.receivedCount(1);
  await drain();
  expect(run.received).toMatchObject([{ uuid: 'turn-1', message: { role: 'user', content: 'hello' } }]);
  expect(isBound).toBe(false);
  expect(upserts).toEqual([]);

  run.say(lifecycle('turn-1', 'queued'));
  expect(await sending).toEqual({ turnId: 'turn-1' });
  expect(upserts).toMatchObject([{ itemId: 'turn-1:user', origin: 'user', status: 'complete', content: 'hello' }]);
  expect(turns).toEqual([]);
  run.say(init('turn-1'));
  await drain();
  expect(turns).toMatchObject([{ type: 'turn_started', turnId: 'turn-1', modelId: 'claude-test' }]);
});

test('stream/TC-3.2b two messages reach the same process in order', async () => {
  const rig = createProviderRig();
  const { sessionId, run, turns } = await rig.create();
  for (const turnId of ['turn-1', 'turn-2']) {
    const sending = rig.provider.sendMessage(sessionId, `message of ${turnId}`, { turnId });
    run.say(lifecycle(turnId, 'queued'));
    await sending;
    run.say(init(turnId));
    run.say(result(turnId));
    await drain();
  }
  expect(run.received.map(({ uuid }) => uuid)).toEqual(['turn-1', 'turn-2']);
  expect(turns.map(({ type, turnId }) => [type, turnId])).toEqual([
    ['turn_started', 'turn-1'],
    ['turn_complete', 'turn-1'],
    ['turn_started', 'turn-2'],
    ['turn_complete', 'turn-2'],
  ]);
  expect(rig.claude.runs).toHaveLength(1);
});

test('stream/TC-3.2c a message is rejected if the process ends before taking it, and there is no turn', async () => {
  const rig = createProviderRig();
  const { sessionId, run, upserts, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  await run.receivedCount(1);
  run.crash({ code: 7 }, 'out of luck');
  await expect(sending).rejects.toMatchObject({
    code: 'PROCESS_CRASH',
    message: expect.stringMatching(/exit code 7.*out of luck/),
  });
  expect(upserts).toEqual([]);
  expect(turns).toEqual([]);
});

test.for([
  ['No conversation found with session ID: x', 'SESSION_NOT_FOUND'],
  ['Error: Session ID x is already in use.', 'SESSION_IN_USE'],
  ['Invalid API key · Please run /login', 'AGENT_NOT_SIGNED_IN'],
] as const)('a process that ends with "%s" rejects the message with %s', async ([words, code]) => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello');
  await run.receivedCount(1);
  run.crash({ code: 1 }, words);
  await expect(sending).rejects.toMatchObject({ code });
});

test('a crash fails the open turns, which keep their text, and the next message starts another process', async () => {
  const rig = createProviderRig();
  const { sessionId, run, upserts, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  for (const message of [init('turn-1'), messageStart('m'), blockStart(0, { type: 'text', text: '' })])
    run.say(message);
  run.say(textDelta(0, 'half'));
  run.say(textDelta(0, ' an answer'));
  await drain();
  run.crash({ signal: 'SIGKILL' });
  await drain();
  expect(upserts.at(-1)).toMatchObject({ status: 'error', errorCode: 'PROCESS_CRASH', content: 'half an answer' });
  expect(turns.at(-1)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
  expect(rig.provider.isAlive(sessionId)).toBe(false);
  expect(rig.statuses.at(-1)).toMatchObject({ status: 'disconnected', message: expect.stringContaining('SIGKILL') });

  const again = rig.provider.sendMessage(sessionId, 'again', { turnId: 'turn-2' });
  const second = await rig.claude.nthRun(2);
  await second.receivedCount(1);
  second.say(lifecycle('turn-2', 'queued'));
  await again;
  expect(rig.provider.isAlive(sessionId)).toBe(true);
});

test('a crashed process is started again after a second', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  await drain();
  run.crash({ code: 1 });
  await drain();
  expect(rig.statuses.at(-1)).toMatchObject({ status: 'disconnected', attempt: 1, retryInMs: 1_000 });
  rig.clock.advance(1_000);
  await rig.claude.nthRun(2);
  await drain();
  expect(rig.statuses.at(-1)).toMatchObject({ sessionId, status: 'connected' });
  expect(rig.provider.isAlive(sessionId)).toBe(true);
});

test('a new session uses the spare process', async () => {
  const rig = createProviderRig({ spare: true });
  const { sessionId } = await rig.create();
  rig.clock.advance(500);
  const spare = await rig.claude.nthRun(2);
  await drain();
  const second = await rig.create();
  expect(second.sessionId).toBe(`claude-code:${spare.options.sessionId}`);
  expect(second.sessionId).not.toBe(sessionId);
  expect(rig.claude.runs).toHaveLength(2);
  const sending = rig.provider.sendMessage(second.sessionId, 'hello', { turnId: 'turn-1' });
  await spare.receivedCount(1);
  spare.say(lifecycle('turn-1', 'queued'));
  await sending;
  await rig.provider.close();
  expect(spare.stopReasons).toContain('shutdown');
});

test('stream/TC-3.4b stream/TC-3.4c killing a session ends its process and its turns', async () => {
  const rig = createProviderRig();
  const { sessionId, run, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  expect(rig.provider.isAlive(sessionId)).toBe(true);
  await rig.provider.killSession(sessionId);
  expect(rig.provider.isAlive(sessionId)).toBe(false);
  expect(run.stopReasons).toContain('session ended');
  expect(turns.at(-1)).toMatchObject({ type: 'turn_complete', turnId: 'turn-1', status: 'cancelled' });
  await expect(rig.provider.killSession(sessionId)).resolves.toBeUndefined();
  await expect(rig.provider.sendMessage(sessionId, 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('closing the provider ends open turns with PROCESS_CRASH and every process', async () => {
  const rig = createProviderRig();
  const { sessionId, run, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  await rig.provider.close();
  expect(turns.at(-1)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
  expect(run.stopReasons).toContain('shutdown');
});

test('a session that is killed while its process starts leaves no process', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  run.crash({ code: 1 });
  await drain();
  const sending = rig.provider.sendMessage(sessionId, 'hello');
  const killed = rig.provider.killSession(sessionId);
  await expect(sending).rejects.toMatchObject({ name: 'ProviderError' });
  await killed;
  for (const each of rig.claude.runs.slice(1)) expect(each.stopReasons).not.toEqual([]);
  expect(rig.provider.isAlive(sessionId)).toBe(false);
});

test('a listener that throws breaks neither the stream nor another listener', async () => {
  const rig = createProviderRig();
  const { sessionId, run, upserts } = await rig.create();
  rig.provider.onUpsert(sessionId, () => {
    throw new Error('listener');
  });
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  expect(upserts).toHaveLength(1);
  expect(rig.failures).toEqual([new Error('listener')]);
});

test('messages of unknown or broken shape do not stop the turn', async () => {
  const rig = createProviderRig();
  const { sessionId, run, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  for (const message of [
    { type: 'from_the_future' },
    { type: 'system', subtype: 'from_the_future' },
    { type: 'stream_event', parent_tool_use_id: null, event: { type: 'from_the_future' } },
    { type: 'assistant', parent_tool_use_id: null },
    { type: 'user', parent_tool_use_id: null, message: { content: 5 } },
  ]) {
    run.say(message);
  }
  run.say(init('turn-1'));
  run.say(result('turn-1'));
  await drain();
  expect(turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'completed' });
  expect(rig.failures).toEqual([expect.any(TypeError)]);
});

test('permissions are decided by the function that the provider was given', async () => {
  const rig = createProviderRig({
    decidePermission: async ({ toolName, sessionId }) =>
      toolName === 'Bash' ? { allow: true } : { allow: false, reason: `not in ${sessionId}` },
  });
  const { run } = await rig.create();
  await drain();
  const ask = (tool: string) =>
    run.options.canUseTool?.(tool, { a: 1 }, { signal: new AbortController().signal, toolUseID: 'x', requestId: 'y' });
  expect(await ask('Bash')).toEqual({ behavior: 'allow', updatedInput: { a: 1 } });
  expect(await ask('Write')).toEqual({ behavior: 'deny', message: 'not in claude-code:id-1' });
  expect(run.options).toMatchObject({ permissionMode: 'default' });
});

test('a used conversation is never started anew, even if its transcript is gone', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  run.say(lifecycle('turn-1', 'queued'));
  run.say(result('turn-1'));
  await sending;
  await drain();
  run.crash({ code: 1 });
  await drain();
  await expect(rig.provider.sendMessage(sessionId, 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(rig.claude.runs).toHaveLength(1);
});

test('a message that is sent while the process ends waits and goes to the next process', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  run.lingers = true;
  run.say({ type: 'conversation_reset', new_conversation_id: 'other' });
  run.say(result('local', { user_message_uuids: [] }));
  await drain();
  expect(run.stopReasons).toEqual(['conversation cleared']);
  expect(rig.provider.isAlive(sessionId)).toBe(false);

  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  await drain();
  expect(rig.claude.runs).toHaveLength(1);
  run.crash({ code: 0 });
  const second = await rig.claude.nthRun(2);
  await second.receivedCount(1);
  second.say(lifecycle('turn-1', 'queued'));
  expect(await sending).toEqual({ turnId: 'turn-1' });
  expect(run.received).toEqual([]);
});

test('a message is rejected if the directory is gone when the process must be started again', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  run.crash({ code: 1 });
  await drain();
  rmSync(rig.projectDir, { recursive: true });
  await expect(rig.provider.sendMessage(sessionId, 'hello')).rejects.toMatchObject({ code: 'PROJECT_PATH_INVALID' });
  expect(rig.claude.runs).toHaveLength(1);
  expect(rig.statuses.at(-1)).toMatchObject({ status: 'disconnected' });
});

test('reconnect starts the process of a session that is down', async () => {
  const rig = createProviderRig();
  const { sessionId, run } = await rig.create();
  run.crash({ code: 1 });
  await drain();
  expect(rig.provider.statuses()).toMatchObject([{ sessionId, status: 'disconnected' }]);
  await rig.provider.reconnect(sessionId);
  await drain();
  expect(rig.provider.statuses()).toMatchObject([{ sessionId, status: 'connected' }]);
});
