import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { say } from '../../../scripted-model/index.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { spawnAgent } from '../ground/processes.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';

let rig: CodexRig;

beforeAll(async () => {
  rig = await startCodex({ rules: [{ when: 'hello', scenario: [[say('Hello from the model.')]] }] });
});

afterAll(() => rig.close());

const stored = () => ({ projectDir: rig.projectDir, neverUsed: false });

/** What Codex itself lists, in a process of its own. */
async function listed(): Promise<Map<string, string | null | undefined>> {
  const command = createCodexAgent({ env: rig.env }).locate();
  if (typeof command === 'string') throw new Error(command);
  const { child, exited } = spawnAgent(command.command, command.args, { cwd: rig.projectDir, env: rig.env });
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  );
  const { agent } = acp.client({ name: 'list' }).connect(stream);
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessions } = await agent.request(acp.methods.agent.session.list, {});
  child.stdin.end();
  await exited;
  return new Map(sessions.map(({ sessionId, title }) => [sessionId, title]));
}

const archived = () => {
  const folder = join(rig.codexHome, 'archived_sessions');
  return existsSync(folder) ? readdirSync(folder) : [];
};

async function usedSession() {
  const { sessionId, watch } = await rig.open();
  const { turnId } = await rig.provider().sendMessage(sessionId, 'hello');
  await watch.ended(turnId);
  return { sessionId, nativeId: fromCanonical(sessionId).nativeId };
}

test('keep/rename Codex lists the title that it was told, before the first message and after the session was closed', async () => {
  const early = await rig.open();
  expect(await rig.provider().setTitle(early.sessionId, 'Chosen first', stored())).toBe('told');
  const { turnId } = await rig.provider().sendMessage(early.sessionId, 'hello');
  await early.watch.ended(turnId);
  const late = await usedSession();
  await rig.provider().killSession(late.sessionId);
  // Codex does not know a session while it unloads it: then it is told later.
  await expect.poll(() => rig.provider().setTitle(late.sessionId, 'Chosen later ✓', stored())).toBe('told');

  const titles = await listed();

  expect(titles.get(fromCanonical(early.sessionId).nativeId)).toBe('Chosen first');
  expect(titles.get(late.nativeId)).toBe('Chosen later ✓');
});

test('keep/rename without a process Codex is told later, and none is started', async () => {
  const { sessionId } = await usedSession();
  await rig.restart();
  const before = rig.pids.length;

  expect(await rig.provider().setTitle(sessionId, 'Not yet', stored())).toBe('later');

  expect(rig.pids).toHaveLength(before);
});

test('keep/delete Codex moves the conversation to its archive and says so', async () => {
  const { sessionId, nativeId } = await usedSession();
  await rig.restart();

  const left = await rig.provider().deleteConversation(sessionId, stored());

  expect(left).toContain('Codex keeps it in its archive');
  expect(left).toContain(`codex delete ${nativeId}`);
  expect(archived().filter((name) => name.includes(nativeId))).toHaveLength(1);
  expect((await listed()).has(nativeId)).toBe(false);
  expect(rig.provider().statuses()).toMatchObject([{ status: 'idle' }]);
});

test('keep/delete a session that another process has open is not deleted', async () => {
  const { sessionId, nativeId } = await usedSession();
  const other = rig.another();

  await expect(other.deleteConversation(sessionId, stored())).rejects.toMatchObject({ code: 'SESSION_IN_USE' });

  expect(archived().filter((name) => name.includes(nativeId))).toEqual([]);
  await other.close();
});
