import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCodexAccess } from '../../../../server/providers/acp/agents/codex-access.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

function createConfig(own: string, project?: string, env: Record<string, string> = {}) {
  const root = scratchDirectory();
  const projectDir = join(root, 'project');
  mkdirSync(join(projectDir, '.codex'), { recursive: true });
  writeFileSync(join(root, 'config.toml'), own);
  if (project !== undefined) writeFileSync(join(projectDir, '.codex', 'config.toml'), project);
  return {
    file: join(root, 'config.toml'),
    read: (isInProject = false) => readCodexAccess({ CODEX_HOME: root, ...env }, isInProject ? projectDir : undefined),
  };
}

describe('the mode of Codex', () => {
  it.each([
    ['', 'normal', undefined],
    ['model = "x"\napproval_policy = "on-request"', 'normal', undefined],
    ['sandbox_mode = "workspace-write"', 'normal', undefined],
    ['sandbox_mode = "read-only"', 'read-only', 'read-only'],
    ['sandbox_mode = "read-only"\napproval_policy = "never"', 'read-only', 'read-only'],
    ['approval_policy = "never"', 'never-ask', 'workspace-write'],
    ['sandbox_mode = "danger-full-access"', 'normal', 'agent-full-access'],
    ['sandbox_mode = "read-only"\ndefault_permissions = "mine"', 'normal', undefined],
    [
      'profile = "p"\nsandbox_mode = "danger-full-access"\n[profiles.p]\nsandbox_mode = "read-only"',
      'read-only',
      'read-only',
    ],
    ['profile = "constructor"\nsandbox_mode = "read-only"', 'read-only', 'read-only'],
    ['sandbox_mode = 7\napproval_policy = ["never"]', 'normal', undefined],
    ['sandbox_mode = ', 'normal', undefined],
  ])('safe/modes follows the settings of the user: %j', async (config, mode, modeId) => {
    const read = await createConfig(config).read();
    expect([read.access.mode, read.modeId]).toEqual([mode, modeId]);
  });

  it('safe/modes names the setting and its file', async () => {
    const config = createConfig('sandbox_mode = "read-only"');
    expect((await config.read()).access.chosenBy).toBe(`sandbox_mode in ${config.file}`);
  });

  it('safe/modes follows the settings of a project in that project only', async () => {
    const config = createConfig('sandbox_mode = "danger-full-access"', 'sandbox_mode = "read-only"');
    expect((await config.read()).modeId).toBe('agent-full-access');
    expect((await config.read(true)).modeId).toBe('read-only');
  });

  it('safe/modes follows the environment first, which the adapter does too', async () => {
    const config = createConfig('', undefined, { INITIAL_AGENT_MODE: 'read-only' });
    expect(await config.read()).toEqual({
      access: { mode: 'read-only', chosenBy: 'INITIAL_AGENT_MODE in the environment' },
    });
  });
});
