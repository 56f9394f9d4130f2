import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  delegate,
  editFile,
  fail,
  gate,
  readFile,
  say,
  shell,
  think,
  writeFile,
} from '../../../scripted-model/index.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { type FollowedSession, followSession } from '../../support/agents/follow-session.ts';
import { createRig, type Rig } from './rig.ts';

const rules = [
  { when: 'hello', scenario: [[say('Hello from the model.')]] },
  { when: 'ponder', scenario: [[think('I weigh it.'), say('I have thought.')]] },
  {
    when: 'both',
    scenario: [[say('Both at once.'), shell('echo one'), shell('echo two >&2; exit 3')], [say('Both ran.')]],
  },
  {
    when: 'change',
    scenario: [
      [readFile('greeting.txt')],
      [editFile('greeting.txt', 'Hello', 'Goodbye'), writeFile('new.txt', 'fresh\n')],
      [say('Changed.')],
    ],
  },
  { when: 'delegate', scenario: [[delegate('inspect the place')], [say('It reported.')]] },
  { when: 'inspect', scenario: [[think('Where am I?'), shell('echo inspected')], [say('All is well.')]] },
  { when: 'refuse', scenario: [[fail(400, 'scripted refusal')]] },
  { when: 'long', scenario: [[say('one two three '), gate('middle'), say('four five')]] },
  {
    when: 'slow',
    scenario: [[say('I wait.'), shell('until [ -e go ]; do sleep 0.05; done; echo went')], [say('Over.')]],
  },
  { when: 'queued', scenario: [[say('Answer to the queued one.')]] },
];

let rig: Rig;
let session: FollowedSession;

beforeAll(async () => {
  rig = await createRig(rules);
  session = await rig.create();
});

afterAll(async () => {
  expect(await rig.close()).toEqual({ failures: [], left: [] });
});

/** What an item shows, without its ids and times. */
const shown = (items: readonly UpsertObject[]) =>
  items.map((item) =>
    item.type === 'tool_call'
      ? [item.toolName, item.status, item.toolOutput]
      : [item.type === 'message' ? item.origin : item.type, item.status, item.content],
  );

const isText = (item: UpsertObject, text: string) => item.type !== 'tool_call' && item.content === text;

test('stream/TC-3.1a a created session has a process of its own that stays alive', async () => {
  expect(rig.provider.isAlive(session.sessionId)).toBe(true);
  expect(rig.ledger.entries()).toHaveLength(1);
});

test('stream/TC-3.2a a text answer streams and completes', async () => {
  const turnId = await session.send('hello');
  const end = await session.ended(turnId);
  expect(end).toMatchObject({ type: 'turn_complete', status: 'completed', stopReason: 'end_turn' });
  expect(session.itemsOf(turnId).map((item) => item.itemId)).toEqual([`${turnId}:user`, `${turnId}:1:0`]);
  expect(shown(session.itemsOf(turnId))).toEqual([
    ['user', 'complete', 'hello'],
    ['agent', 'complete', 'Hello from the model.'],
  ]);
  const created = session.upserts.findIndex((upsert) => upsert.itemId === `${turnId}:1:0`);
  expect(session.upserts[created]?.status).toBe('create');
  expect(session.turns).toContainEqual(
    expect.objectContaining({ type: 'turn_started', turnId, modelId: expect.stringContaining('claude') }),
  );
});

test('stream/TC-3.2b the next message is answered by the same process', async () => {
  const pids = () => rig.ledger.entries().map(({ leader }) => leader?.pid);
  const before = pids();
  expect(await session.turn('hello')).toMatchObject({ status: 'completed' });
  expect(pids()).toEqual(before);
});

test('stream/TC-3.3d thinking comes before the answer', async () => {
  const { turnId } = await session.turn('ponder');
  expect(shown(session.itemsOf(turnId))).toEqual([
    ['user', 'complete', 'ponder'],
    ['thinking', 'complete', 'I weigh it.'],
    ['agent', 'complete', 'I have thought.'],
  ]);
});

test('two tools run in parallel, and the failing one is an error with its exit code', async () => {
  const { turnId } = await session.turn('both');
  const calls = session.itemsOf(turnId).filter((item) => item.type === 'tool_call');
  expect(calls).toMatchObject([
    { itemId: `${turnId}:1:1`, toolOutput: 'one', toolOutputIsError: false, exitCode: 0, toolKind: 'execute' },
    { itemId: `${turnId}:1:2`, toolOutput: 'Exit code 3\ntwo', toolOutputIsError: true, exitCode: 3 },
  ]);
  expect(session.itemsOf(turnId).at(-1)).toMatchObject({ itemId: `${turnId}:2:0`, content: 'Both ran.' });
});

test('an edit and a new file show what they changed', async () => {
  const { turnId } = await session.turn('change');
  const edits = session.itemsOf(turnId).filter((item) => item.type === 'tool_call' && item.toolKind === 'edit');
  expect(edits).toMatchObject([
    {
      toolName: 'Edit',
      diffs: [
        {
          path: `${rig.projectDir}/greeting.txt`,
          oldText: 'Hello\nfrom a sample file.',
          newText: 'Goodbye\nfrom a sample file.',
        },
      ],
    },
    { toolName: 'Write', diffs: [{ path: `${rig.projectDir}/new.txt`, oldText: null, newText: 'fresh\n' }] },
  ]);
});

test('the work of a sub-agent shows under the call that started it', async () => {
  const { turnId } = await session.turn('delegate');
  const items = session.itemsOf(turnId);
  const call = items.find((item) => item.type === 'tool_call' && item.parentItemId === undefined);
  expect(call).toMatchObject({ toolKind: 'think', toolOutput: 'All is well.', status: 'complete' });
  expect(shown(items.filter((item) => item.parentItemId === call?.itemId))).toEqual([
    ['thinking', 'complete', 'Where am I?'],
    ['Bash', 'complete', 'inspected'],
    ['agent', 'complete', 'All is well.'],
  ]);
});

test('a model error fails the turn with its message, once', async () => {
  const end = await session.turn('refuse');
  expect(end).toMatchObject({ type: 'turn_error', errorCode: 'MODEL_ERROR' });
  expect(JSON.stringify(end)).toContain('scripted refusal');
  expect(shown(session.itemsOf(end.turnId))).toEqual([['user', 'complete', 'refuse']]);
});

test('stream/TC-3.4a a turn that is cancelled while the model writes keeps its text, which is not complete', async () => {
  const turnId = await session.send('long');
  await session.seen((upsert) => upsert.itemId === `${turnId}:1:0` && isText(upsert, 'one two three '));
  await rig.provider.cancelTurn(session.sessionId);
  expect(await session.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  expect(session.itemsOf(turnId)).toMatchObject([
    {},
    { content: 'one two three ', status: expect.not.stringMatching('complete') },
    { origin: 'system', content: 'Interrupted by the user.' },
  ]);
});

test('stream/TC-3.4a a turn that is cancelled while a tool runs is cancelled, and so is the tool', async () => {
  const turnId = await session.send('slow');
  await session.seen((upsert) => upsert.turnId === turnId && upsert.type === 'tool_call' && upsert.status === 'update');
  await rig.provider.cancelTurn(session.sessionId);
  expect(await session.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  expect(session.itemsOf(turnId)).toContainEqual(
    expect.objectContaining({ toolName: 'Bash', toolOutputIsError: true, toolOutput: 'Stopped by the user.' }),
  );
});

test('cancelling also cancels queued messages, which are never answered', async () => {
  const running = await session.send('long');
  await session.seen((upsert) => upsert.itemId === `${running}:1:0`);
  const queued = await Promise.all([session.send('queued first'), session.send('queued second')]);
  await rig.provider.cancelTurn(session.sessionId);
  for (const turnId of [running, ...queued]) {
    expect(await session.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  }
  await session.turn('hello');
  expect(rig.model.requests.map((request) => request.conversation.prompt)).not.toContain('queued first');
});

test('a message sent while the model writes becomes a turn of its own', async () => {
  const first = await session.send('long');
  await session.seen((upsert) => upsert.itemId === `${first}:1:0`);
  const second = await session.send('queued');
  rig.model.release('middle');
  expect(await session.ended(first)).toMatchObject({ status: 'completed' });
  expect(await session.ended(second)).toMatchObject({ status: 'completed' });
  expect(session.itemsOf(first)).toContainEqual(expect.objectContaining({ content: 'one two three four five' }));
  expect(session.itemsOf(second)).toContainEqual(expect.objectContaining({ content: 'Answer to the queued one.' }));
});

test('a message sent while a tool runs joins the running turn, and both turns end once', async () => {
  const first = await session.send('slow');
  await session.seen((upsert) => upsert.turnId === first && upsert.type === 'tool_call' && upsert.status === 'update');
  const second = await session.send('by the way');
  writeFileSync(`${rig.projectDir}/go`, '');
  await session.ended(first);
  await session.ended(second);
  const ends = session.turns.filter((event) => event.type !== 'turn_started');
  expect(ends.filter(({ turnId }) => turnId === first || turnId === second)).toMatchObject([
    { turnId: first, status: 'completed', usage: { outputTokens: expect.any(Number) } },
    { turnId: second, status: 'completed' },
  ]);
  expect(rig.model.requests.at(-1)?.conversation.asides).toEqual(['by the way']);
});

test('built-in commands are answered, and a compaction is shown', async () => {
  const context = await session.turn('/context');
  expect(session.itemsOf(context.turnId).at(-1)).toMatchObject({
    itemId: `${context.turnId}:1:0`,
    content: expect.stringContaining('Context Usage'),
  });
  const compact = await session.turn('/compact');
  expect(session.itemsOf(compact.turnId)).toContainEqual(
    expect.objectContaining({ itemId: `${compact.turnId}:compaction:1`, origin: 'system' }),
  );
});

test('stream/TC-3.1b after a restart the same items are read from disk, and the conversation continues', async () => {
  await rig.provider.killSession(session.sessionId);
  expect(rig.provider.isAlive(session.sessionId)).toBe(false);
  const restarted = rig.another();
  const { history } = await restarted.loadSession(session.sessionId, { projectDir: rig.projectDir });

  const told = new Set(history.map((item) => item.turnId));
  const content = (items: readonly UpsertObject[]) =>
    items.map(({ emittedAt, sourceTimestamp, status, ...rest }) => rest);
  // Live, a model error is part of the turn's end, which a transcript does not record.
  const fromDisk = history.filter((item) => !(item.type === 'message' && item.content.startsWith('API Error')));
  // Messages that were cancelled in the queue are not in the transcript.
  const live = session.items().filter((item) => told.has(item.turnId));
  expect(content(fromDisk)).toEqual(content(live));
  expect(session.items().filter((item) => !told.has(item.turnId))).toMatchObject([
    { content: 'queued first' },
    { content: 'queued second' },
  ]);

  const revived = followSession(restarted, session.sessionId);
  const { turnId } = await revived.turn('context');
  expect(revived.itemsOf(turnId).at(-1)).toMatchObject({ content: expect.stringContaining('I know') });
  const asked = JSON.stringify(rig.model.requests.at(-1)?.body);
  expect(asked).toContain('This session is being continued from a previous conversation');
});
