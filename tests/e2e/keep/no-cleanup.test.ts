import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRig, type Rig } from '../claude/rig.ts';
import { openClaudeSession } from '../ground/claude-session.ts';

const OLD_ID = '11111111-1111-4111-8111-111111111111';
const SETTINGS = '{"cleanupPeriodDays":1}';

/** A home with a transcript of 60 days ago and settings that keep transcripts for a day. */
function prepareHome({ env }: Rig) {
  const home = env.CLAUDE_CONFIG_DIR ?? '';
  const old = join(home, 'projects', '-old-project', `${OLD_ID}.jsonl`);
  mkdirSync(join(old, '..'), { recursive: true });
  const at = new Date(Date.now() - 60 * 24 * 60 * 60 * 1000);
  const row = { type: 'user', uuid: 'a', parentUuid: null, sessionId: OLD_ID, cwd: '/old/project' };
  const message = { role: 'user', content: 'old' };
  writeFileSync(old, `${JSON.stringify({ ...row, timestamp: at.toISOString(), message })}\n`);
  utimesSync(old, at, at);
  const settings = join(home, 'settings.json');
  writeFileSync(settings, SETTINGS);
  /** Claude Code writes it when it has looked for old transcripts. */
  return { old, settings, mark: join(home, '.last-cleanup') };
}

test('keep/no-cleanup Claude Code itself deletes an old transcript after the first message', async () => {
  const rig = await createRig([]);
  onTestFinished(async () => void (await rig.close()));
  const { old, mark } = prepareHome(rig);
  const session = await openClaudeSession(rig.projectDir, rig.env);
  await session.turn('hello');
  await expect.poll(() => existsSync(mark)).toBe(true);
  expect(existsSync(old)).toBe(false);
  await session.close();
});

test("keep/no-cleanup our Claude Code looks for old transcripts but deletes none, and the user's settings stay as they are", async () => {
  const rig = await createRig([]);
  onTestFinished(async () => void (await rig.close()));
  const { old, settings, mark } = prepareHome(rig);
  const session = await rig.create();
  await session.turn('hello');
  await expect.poll(() => existsSync(mark)).toBe(true);
  expect(existsSync(old)).toBe(true);
  expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
});
