import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { callTool, say, shell, writeFile } from '../../../scripted-model/index.ts';
import { decidePermission } from '../../../server/engine/permission.ts';
import { startCodex } from './codex-rig.ts';

const escalated = { cmd: 'touch escalated.txt', sandbox_permissions: 'require_escalated', justification: 'I want to' };

async function start(settings: string, projectSettings?: string) {
  const allowed = new Set<string>();
  const codex = await startCodex({
    rules: [
      { when: 'patch', scenario: [[writeFile('patched.txt', 'x')], [say('Done.')]] },
      { when: 'touch', scenario: [[shell('touch touched.txt')], [say('Done.')]] },
      { when: 'escalate', scenario: [[callTool('exec_command', escalated)], [say('Done.')]] },
    ],
    decidePermission,
    allowedIn: () => allowed,
  });
  onTestFinished(() => codex.close());
  const file = join(codex.codexHome, 'config.toml');
  writeFileSync(file, `${settings}\n${readFileSync(file, 'utf8')}`);
  if (projectSettings !== undefined) {
    mkdirSync(join(codex.projectDir, '.codex'));
    appendFileSync(join(codex.projectDir, '.codex', 'config.toml'), projectSettings);
    for (const { id } of await codex.provider().whatRuns(codex.projectDir)) allowed.add(id);
  }
  return {
    codex,
    made: () =>
      ['patched.txt', 'touched.txt', 'escalated.txt'].filter((name) => existsSync(join(codex.projectDir, name))),
  };
}

it('safe/modes codex: with a read-only sandbox nothing is written, and the user reads why', async () => {
  const { codex, made } = await start('sandbox_mode = "read-only"');
  const { watch, sessionId } = await codex.open();
  for (const text of ['patch it', 'touch it', 'escalate it']) {
    const { items } = await watch.turn(text);
    if (text === 'touch it') continue;
    expect(items).toContainEqual(
      expect.objectContaining({
        origin: 'system',
        content: expect.stringMatching(/Read-only mode is on \(sandbox_mode in .*config\.toml\)/),
      }),
    );
  }
  expect(made()).toEqual([]);
  expect(codex.provider().access(sessionId)).toMatchObject({ mode: 'read-only' });
});

it('safe/modes codex: where nothing may be asked, nothing beyond the sandbox is done', async () => {
  const { codex, made } = await start('approval_policy = "never"');
  const { watch } = await codex.open();
  await watch.turn('touch it');
  await watch.turn('escalate it');
  expect(made()).toEqual(['touched.txt']);
});

it('safe/modes codex: the settings of a project count for its sessions', async () => {
  const { codex, made } = await start('', 'sandbox_mode = "read-only"\n');
  const { watch } = await codex.open();
  await watch.turn('patch it');
  await watch.turn('touch it');
  expect(made()).toEqual([]);
});

it.each(['', 'sandbox_mode = "danger-full-access"'])(
  'safe/modes codex: the project is written to otherwise: %j',
  async (settings) => {
    const { codex, made } = await start(settings);
    const { watch } = await codex.open();
    await watch.turn('patch it');
    await watch.turn('touch it');
    expect(made()).toEqual(['patched.txt', 'touched.txt']);
  },
);
