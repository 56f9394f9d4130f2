import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delegate, gate, say } from '../../../scripted-model/index.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { createRig, type Rig } from './rig.ts';

const rules = [
  { when: 'hello', scenario: [[say('Hello from the model.')]] },
  { when: 'long', scenario: [[say('one two '), gate('middle'), say('three')]] },
  { when: 'delegate', scenario: [[delegate('helper task')], [say('Delegated.')]] },
  { when: 'helper task', scenario: [[say('Helped.')]] },
];

let rig: Rig;

beforeAll(async () => {
  rig = await createRig(rules);
});

afterAll(async () => {
  expect(await rig.close()).toEqual({ failures: [], left: [] });
});

const stored = () => ({ projectDir: rig.projectDir, neverUsed: false });

/** What Claude Code's own list says about a session, read by its SDK in the agent's home. */
function infoOf(sessionId: string): { customTitle?: string; summary?: string } | null {
  const script = `const sdk = await import('@anthropic-ai/claude-agent-sdk');
    console.log(JSON.stringify((await sdk.getSessionInfo(process.argv[1])) ?? null));`;
  const args = ['--input-type=module', '-e', script, fromCanonical(sessionId).nativeId];
  return JSON.parse(execFileSync(process.execPath, args, { env: { ...rig.env }, encoding: 'utf8' }));
}

const projects = () => join(rig.env.CLAUDE_CONFIG_DIR ?? '', 'projects');

function filesOf(sessionId: string): string[] {
  const { nativeId } = fromCanonical(sessionId);
  return readdirSync(projects(), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes(nativeId))
    .map((path) => join(projects(), path));
}

const transcriptOf = (sessionId: string) => filesOf(sessionId).find((path) => path.endsWith('.jsonl')) ?? '';

test('keep/rename Claude Code lists the title of a session whose process is idle, busy or gone, and goes on in it', async () => {
  const session = await rig.create();
  expect(await rig.provider.setTitle(session.sessionId, 'Too early', stored())).toBe('later');
  await session.turn('hello');
  expect(await rig.provider.setTitle(session.sessionId, 'While “idle” \\ ✓', stored())).toBe('told');
  expect(infoOf(session.sessionId)).toMatchObject({ customTitle: 'While “idle” \\ ✓', summary: 'While “idle” \\ ✓' });

  const turnId = await session.send('long');
  await session.seen((upsert) => upsert.type === 'message' && upsert.content === 'one two ');
  expect(await rig.provider.setTitle(session.sessionId, 'While busy', stored())).toBe('told');
  rig.model.release('middle');
  await session.ended(turnId);
  await rig.provider.killSession(session.sessionId);
  expect(infoOf(session.sessionId)).toMatchObject({ customTitle: 'While busy' });

  expect(await rig.provider.setTitle(session.sessionId, 'While gone', stored())).toBe('told');
  expect(infoOf(session.sessionId)).toMatchObject({ customTitle: 'While gone' });
  const { history } = await rig.provider.loadSession(session.sessionId, { projectDir: rig.projectDir });
  expect(history).toHaveLength(4);
  const end = await session.turn('context');
  expect(session.itemsOf(end.turnId).at(-1)).toMatchObject({
    content: expect.stringContaining('The first was: hello'),
  });
  await rig.provider.killSession(session.sessionId);
  expect(infoOf(session.sessionId)).toMatchObject({ customTitle: 'While gone' });
});

test('keep/rename a torn last line of the transcript stays a line of its own', async () => {
  const session = await rig.create();
  await session.turn('hello');
  await rig.provider.killSession(session.sessionId);
  const transcript = transcriptOf(session.sessionId);
  appendFileSync(transcript, '{"type":"user","message":{"role":"us');

  expect(await rig.provider.setTitle(session.sessionId, 'After the crash', stored())).toBe('told');

  const lines = readFileSync(transcript, 'utf8').split('\n');
  expect(lines.slice(-3)).toEqual([
    '{"type":"user","message":{"role":"us',
    expect.stringContaining('After the crash'),
    '',
  ]);
  expect(infoOf(session.sessionId)).toMatchObject({ customTitle: 'After the crash' });
});

test('keep/delete nothing of the conversation is left in the home of Claude Code, and other sessions stay', async () => {
  const [session, other] = [await rig.create(), await rig.create()];
  await Promise.all([session.turn('delegate'), other.turn('hello')]);
  await rig.provider.killSession(session.sessionId);
  expect(filesOf(session.sessionId).some((path) => path.includes('subagents'))).toBe(true);

  expect(await rig.provider.deleteConversation(session.sessionId, stored())).toBeUndefined();

  expect(filesOf(session.sessionId)).toEqual([]);
  expect(infoOf(session.sessionId)).toBeNull();
  expect(infoOf(other.sessionId)).not.toBeNull();
  await expect(rig.provider.loadSession(session.sessionId, { projectDir: rig.projectDir })).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  await rig.provider.killSession(other.sessionId);
});

test('keep/delete a session that another Claude Code has open is not deleted', async () => {
  const session = await rig.create();
  await session.turn('hello');
  const transcript = transcriptOf(session.sessionId);
  const server = rig.another();

  await expect(server.deleteConversation(session.sessionId, stored())).rejects.toMatchObject({
    code: 'SESSION_IN_USE',
    message: expect.stringMatching(/process \d+.*delete it again/),
  });

  expect(existsSync(transcript)).toBe(true);
  await rig.provider.killSession(session.sessionId);
  expect(await server.deleteConversation(session.sessionId, stored())).toBeUndefined();
  expect(existsSync(transcript)).toBe(false);
});
