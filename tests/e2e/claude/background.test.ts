import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, say, shell } from '../../../scripted-model/index.ts';
import { asEnded } from '../../../server/streaming/history.ts';
import type { ToolCallUpsert, UpsertObject } from '../../../shared/stream-contracts.ts';
import { type FollowedSession, followSession } from '../../support/agents/follow-session.ts';
import { createRig, nextStatus, type Rig } from './rig.ts';

const inBackground = (command: string) =>
  callTool('Bash', { command, description: 'Wait for it', run_in_background: true });

const handOn = (prompt: string) =>
  callTool('Agent', { description: 'Inspect the place', prompt, subagent_type: 'general-purpose' });

const waitFor = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;

const rules = [
  { when: 'delegate', scenario: [[handOn('inspect the place')], [say('It works in the background.')]] },
  {
    when: 'inspect',
    scenario: [[say('I look around.'), shell(`${waitFor('go')}; echo inspected`)], [say('All is well.')]],
  },
  { when: 'linger', scenario: [[handOn('wait for ever')], [say('It lingers.')]] },
  { when: 'wait for ever', scenario: [[shell(waitFor('never'))], [say('Never said.')]] },
  { when: 'count', scenario: [[inBackground(`echo begun; ${waitFor('end')}; echo over`)], [say('It runs.')]] },
  { when: 'server', scenario: [[inBackground(`echo listening; ${waitFor('never')}`)], [say('It listens.')]] },
];

let rig: Rig;

beforeAll(async () => {
  rig = await createRig(rules, { sleepAfterMs: 1_000 });
});

afterAll(async () => {
  expect(await rig.close()).toEqual({ failures: [], left: [] });
});

const isCall = (upsert: UpsertObject): upsert is ToolCallUpsert => upsert.type === 'tool_call';

const callOf = (session: FollowedSession, turnId: string) =>
  session.itemsOf(turnId).find((item): item is ToolCallUpsert => isCall(item) && item.parentItemId === undefined);

const stepsOf = (session: FollowedSession, call: ToolCallUpsert | undefined) =>
  session.items().filter((item) => item.parentItemId === call?.itemId);

const hasEnded = (upsert: UpsertObject) => upsert.status === 'complete' || upsert.status === 'error';

/** Steps under their call, as the page shows them. */
function inOrderShown(items: readonly UpsertObject[], parent?: string): object[] {
  return items
    .filter(({ parentItemId }) => parentItemId === parent)
    .flatMap((item) => {
      const { sourceTimestamp, emittedAt, ...rest } = asEnded(item);
      return [rest, ...inOrderShown(items, item.itemId)];
    });
}

/** Reads the session from the disk and compares it with what was shown live. */
async function expectReloadEqual(session: FollowedSession): Promise<void> {
  const live = session.items();
  await rig.provider.killSession(session.sessionId);
  const { history } = await rig.another().loadSession(session.sessionId, { projectDir: rig.projectDir });
  expect(inOrderShown(history)).toEqual(inOrderShown(live));
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('engine/background-live engine/background-reload claude: a sub-agent runs until it ends, and a reload shows the same', async () => {
  const session = await rig.create();
  const { turnId } = await session.turn('delegate');
  await session.seen((upsert) => isCall(upsert) && upsert.toolName === 'Bash' && upsert.status === 'update');
  expect(callOf(session, turnId)).toMatchObject({ toolName: 'Agent', status: 'update', background: true });
  expect(callOf(session, turnId)).not.toHaveProperty('toolOutput');
  // Longer than an idle session stays awake.
  await wait(1_500);
  expect(rig.provider.isAlive(session.sessionId)).toBe(true);

  writeFileSync(join(rig.projectDir, 'go'), '');
  await session.seen((upsert) => isCall(upsert) && upsert.toolName === 'Agent' && hasEnded(upsert));
  const call = callOf(session, turnId);
  expect(call).toMatchObject({ status: 'complete', toolOutput: 'All is well.', toolOutputIsError: false });
  expect(stepsOf(session, call)).toMatchObject([
    { type: 'message', content: 'I look around.', turnId },
    { toolName: 'Bash', status: 'complete', toolOutput: 'inspected', turnId },
    { type: 'message', content: 'All is well.', turnId },
  ]);
  const cause = await session.seen((upsert) => upsert.itemId.endsWith(':cause'));
  expect(cause).toMatchObject({ content: 'Agent "Inspect the place" finished' });
  expect(await session.ended(cause.turnId)).toMatchObject({ status: 'completed' });
  await expectReloadEqual(session);
});

test('engine/background-live engine/background-reload claude: a shell shows its output while it runs, and a reload shows the same', async () => {
  const session = await rig.create();
  const { turnId } = await session.turn('count');
  const running = await session.seen((upsert) => isCall(upsert) && upsert.toolOutput !== undefined);
  expect(running).toMatchObject({ status: 'update', toolOutput: 'begun', background: true });

  writeFileSync(join(rig.projectDir, 'end'), '');
  await session.seen((upsert) => isCall(upsert) && hasEnded(upsert));
  expect(callOf(session, turnId)).toMatchObject({ status: 'complete', toolOutput: 'begun\nover', exitCode: 0 });
  const cause = await session.seen((upsert) => upsert.itemId.endsWith(':cause'));
  expect(await session.ended(cause.turnId)).toMatchObject({ status: 'completed' });
  await expectReloadEqual(session);
});

test('engine/background-stop claude: a sub-agent can be stopped, with its step, and a reload shows the same', async () => {
  const session = await rig.create();
  const { turnId } = await session.turn('linger');
  await session.seen((upsert) => isCall(upsert) && upsert.toolName === 'Bash' && upsert.status === 'update');
  await rig.provider.stopBackground(session.sessionId, callOf(session, turnId)?.itemId);
  await session.seen((upsert) => isCall(upsert) && upsert.toolName === 'Agent' && hasEnded(upsert));
  const call = callOf(session, turnId);
  expect(call).toMatchObject({ status: 'error', errorCode: 'STOPPED' });
  expect(stepsOf(session, call)).toMatchObject([{ toolName: 'Bash', status: 'error', errorCode: 'STOPPED' }]);
  const cause = await session.seen((upsert) => upsert.itemId.endsWith(':cause'));
  await session.ended(cause.turnId);
  await expectReloadEqual(session);
});

test('engine/background-stop claude: a shell survives a cancelled turn, can be stopped, and then the session may sleep', async () => {
  const session = await rig.create();
  const { turnId } = await session.turn('server');
  await session.seen((upsert) => isCall(upsert) && upsert.toolOutput === 'listening');
  await rig.provider.cancelTurn(session.sessionId);
  expect(callOf(session, turnId)).toMatchObject({ status: 'update' });

  const asleep = nextStatus(rig.provider, session.sessionId, 'idle');
  await rig.provider.stopBackground(session.sessionId);
  await session.seen((upsert) => isCall(upsert) && hasEnded(upsert));
  expect(callOf(session, turnId)).toMatchObject({ status: 'error', errorCode: 'STOPPED', toolOutput: 'listening' });
  await asleep;
  await expectReloadEqual(session);
});

test('engine/background-stop claude: ending a session ends its background work, and nothing is left', async () => {
  const session = await rig.create();
  const { turnId } = await session.turn('server');
  const follower = followSession(rig.provider, session.sessionId);
  await rig.provider.killSession(session.sessionId);
  expect(callOf(session, turnId)).toMatchObject({ status: 'error', errorCode: 'STOPPED' });
  expect(follower.turns).toEqual([]);
});
