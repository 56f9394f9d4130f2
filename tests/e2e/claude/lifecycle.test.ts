import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, gate, overloaded, say, shell } from '../../../scripted-model/index.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { followSession } from '../../support/agents/follow-session.ts';
import { createRig, nextStatus, type Rig } from './rig.ts';

const rules = [
  { when: 'hello', scenario: [[say('Hello from the model.')]] },
  { when: 'long', scenario: [[say('one two three '), gate('middle'), say('four five')]] },
  { when: 'busy', scenario: [[overloaded(1), say('At last.')]] },
  { when: 'forbidden', scenario: [[shell('touch forbidden.txt')], [say('I may not.')]] },
  {
    when: 'background',
    scenario: [
      [
        callTool('Bash', {
          command: 'until [ -e done ]; do sleep 0.05; done',
          description: 'wait',
          run_in_background: true,
        }),
      ],
      [say('It runs.')],
    ],
  },
];

let rig: Rig;

beforeAll(async () => {
  rig = await createRig(rules);
});

afterAll(async () => {
  expect(await rig.close()).toEqual({ failures: [], left: [] });
});

const pidOf = (): number => rig.ledger.entries().at(-1)?.leader?.pid ?? 0;
const isText = (item: UpsertObject, text: string) => item.type !== 'tool_call' && item.content === text;

test('kill -9 in the middle of a text fails the turn, keeps the text, and the next message revives the session', async () => {
  const session = await rig.create();
  await session.turn('hello');
  const turnId = await session.send('long');
  await session.seen((upsert) => isText(upsert, 'one two three '));
  const down = nextStatus(rig.provider, session.sessionId, 'disconnected');
  process.kill(pidOf(), 'SIGKILL');

  expect(await session.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
  expect(session.itemsOf(turnId).at(-1)).toMatchObject({
    status: 'error',
    errorCode: 'PROCESS_CRASH',
    content: 'one two three ',
  });
  expect((await down).message).toContain('SIGKILL');
  expect(rig.provider.isAlive(session.sessionId)).toBe(false);

  const end = await session.turn('context');
  expect(session.itemsOf(end.turnId).at(-1)).toMatchObject({
    content: expect.stringContaining('The first was: hello'),
  });
  await rig.provider.killSession(session.sessionId);
});

test('an idle process is put to sleep, and the next message wakes it with the same conversation', async () => {
  const provider = rig.another({ maxAwake: 1 });
  const { sessionId } = await provider.createSession({ projectDir: rig.projectDir });
  const session = followSession(provider, sessionId);
  await session.turn('hello');
  const asleep = nextStatus(provider, sessionId, 'idle');
  const other = await provider.createSession({ projectDir: rig.projectDir });
  await asleep;
  expect(provider.isAlive(sessionId)).toBe(false);
  expect(provider.isAlive(other.sessionId)).toBe(true);

  const end = await session.turn('context');
  expect(provider.isAlive(sessionId)).toBe(true);
  expect(session.itemsOf(end.turnId).at(-1)).toMatchObject({
    content: expect.stringContaining('I know 2 user messages'),
  });
  await provider.close();
});

test('a session that another process holds can be read but not written to', async () => {
  const session = await rig.create();
  await session.turn('hello');
  const other = rig.another();
  const { history } = await other.loadSession(session.sessionId, { projectDir: rig.projectDir });
  expect(history).toHaveLength(2);
  await expect(other.sendMessage(session.sessionId, 'hello')).rejects.toMatchObject({ code: 'SESSION_IN_USE' });
  expect(other.isAlive(session.sessionId)).toBe(false);

  await rig.provider.killSession(session.sessionId);
  await other.sendMessage(session.sessionId, 'hello');
  await other.close();
});

test('an unknown session is not found and starts no process', async () => {
  const unknown = `claude-code:${crypto.randomUUID()}`;
  const loading = rig.provider.loadSession(unknown, { projectDir: rig.projectDir });
  await expect(loading).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(rig.ledger.entries()).toEqual([]);
});

test('a session that was never used is empty under its own id, and not found once it was used', async () => {
  const { sessionId } = await rig.create();
  await rig.provider.killSession(sessionId);
  const projectDir = rig.projectDir;
  await expect(rig.provider.loadSession(sessionId, { projectDir })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  expect(await rig.provider.loadSession(sessionId, { projectDir, neverUsed: true })).toMatchObject({ history: [] });
  const end = await followSession(rig.provider, sessionId).turn('context');
  expect(end).toMatchObject({ status: 'completed' });
  await rig.provider.killSession(sessionId);
  const { history } = await rig.provider.loadSession(sessionId, { projectDir });
  expect(history).toHaveLength(2);
  await rig.provider.killSession(sessionId);
});

test('a conversation whose transcript is gone is not continued in a fresh context', async () => {
  const provider = rig.another({ maxAwake: 1 });
  const { sessionId } = await provider.createSession({ projectDir: rig.projectDir });
  await followSession(provider, sessionId).turn('hello');
  const asleep = nextStatus(provider, sessionId, 'idle');
  await provider.createSession({ projectDir: rig.projectDir });
  await asleep;
  rmSync(join(rig.env.CLAUDE_CONFIG_DIR ?? '', 'projects'), { recursive: true });
  await expect(provider.sendMessage(sessionId, 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await provider.close();
});

test('an agent that is not signed in fails the turn and says how to sign in', async () => {
  const { ANTHROPIC_API_KEY: _, ...env } = rig.env;
  const provider = rig.another({ env });
  const { sessionId } = await provider.createSession({ projectDir: rig.projectDir });
  expect(await followSession(provider, sessionId).turn('hello')).toMatchObject({
    type: 'turn_error',
    errorCode: 'AGENT_NOT_SIGNED_IN',
    errorMessage: expect.stringContaining('/login'),
  });
  await provider.close();
});

test("a retry shows as a notice, and the user's own deny rules hold although everything else is allowed", async () => {
  mkdirSync(join(rig.projectDir, '.claude'), { recursive: true });
  writeFileSync(
    join(rig.projectDir, '.claude', 'settings.json'),
    JSON.stringify({ permissions: { deny: ['Bash(touch *)'] } }),
  );
  writeFileSync(join(rig.projectDir, 'CLAUDE.md'), 'Remember the code word heliotrope.');
  const session = await rig.create();
  const denied = await session.turn('forbidden');
  expect(session.itemsOf(denied.turnId)).toContainEqual(
    expect.objectContaining({
      toolName: 'Bash',
      toolOutputIsError: true,
      toolOutput: expect.stringContaining('denied'),
    }),
  );
  expect(JSON.stringify(rig.model.requests.at(-1)?.body)).toContain('heliotrope');

  const retried = await session.turn('busy');
  expect(session.itemsOf(retried.turnId)).toMatchObject([
    { content: 'busy' },
    { origin: 'system', content: expect.stringMatching(/overloaded \(529\).*attempt 1 of 10/) },
    { content: 'At last.' },
  ]);
  await rig.provider.killSession(session.sessionId);
});

test('the reaction of the agent to finished background work is a turn of its own, live and in the history', async () => {
  const session = await rig.create();
  const first = await session.turn('background');
  expect(first).toMatchObject({ status: 'completed' });
  writeFileSync(join(rig.projectDir, 'done'), '');
  const cause = await session.seen((upsert) => upsert.itemId.endsWith(':cause'));
  expect(cause).toMatchObject({ origin: 'system', content: expect.stringContaining('completed') });
  expect(await session.ended(cause.turnId)).toMatchObject({ status: 'completed' });
  const live = session.items();
  await rig.provider.killSession(session.sessionId);

  const { history } = await rig.provider.loadSession(session.sessionId, { projectDir: rig.projectDir });
  expect(history.map((item) => item.itemId)).toEqual(live.map((item) => item.itemId));
  await rig.provider.killSession(session.sessionId);
});

test('/clear does not change the conversation of a session', async () => {
  const session = await rig.create();
  await session.turn('hello');
  const idle = nextStatus(rig.provider, session.sessionId, 'idle');
  const { turnId } = await session.turn('/clear');
  expect(session.itemsOf(turnId)).toContainEqual(
    expect.objectContaining({ origin: 'system', content: expect.stringContaining('create a new session') }),
  );
  await idle;
  const end = await session.turn('context');
  expect(session.itemsOf(end.turnId).at(-1)).toMatchObject({
    content: expect.stringContaining('The first was: hello'),
  });
  await rig.provider.killSession(session.sessionId);
});
