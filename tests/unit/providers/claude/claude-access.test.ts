import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasServerCheck, readClaudeAccess } from '../../../../server/providers/claude/process/claude-access.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

type Place = 'managed' | 'local' | 'project' | 'user';

function createSettings(modes: Partial<Record<Place, string>>, env: Record<string, string> = {}) {
  const root = scratchDirectory();
  const files: Record<Place, string> = {
    managed: join(root, 'managed/managed-settings.json'),
    local: join(root, 'project/.claude/settings.local.json'),
    project: join(root, 'project/.claude/settings.json'),
    user: join(root, 'config/settings.json'),
  };
  for (const [place, defaultMode] of Object.entries(modes)) {
    const file = files[place as Place];
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ permissions: { defaultMode } }));
  }
  return {
    files,
    read: (options: { withoutProjectSettings?: boolean; isRoot?: boolean } = {}) =>
      readClaudeAccess({
        env: { CLAUDE_CONFIG_DIR: join(root, 'config'), ...env },
        projectDir: join(root, 'project'),
        managedDirectory: join(root, 'managed'),
        withoutProjectSettings: false,
        isRoot: false,
        ...options,
      }),
  };
}

describe('the mode of Claude Code', () => {
  it.each([
    [{}, 'default'],
    [{ user: 'acceptEdits' }, 'acceptEdits'],
    [{ user: 'plan', project: 'acceptEdits' }, 'acceptEdits'],
    [{ user: 'plan', project: 'acceptEdits', local: 'dontAsk' }, 'dontAsk'],
    [{ user: 'plan', project: 'acceptEdits', local: 'dontAsk', managed: 'default' }, 'default'],
    [{ user: 'plan', local: 'nonsense' }, 'plan'],
  ])('safe/modes is that of the settings, in the order of Claude Code: %j is %s', async (modes, permissionMode) => {
    expect(await createSettings(modes).read()).toMatchObject({ permissionMode });
  });

  it('safe/modes is not that of a project whose settings are not loaded', async () => {
    const settings = createSettings({ user: 'plan', project: 'acceptEdits', local: 'bypassPermissions' });
    expect(await settings.read({ withoutProjectSettings: true })).toEqual({
      permissionMode: 'plan',
      access: { mode: 'plan', chosenBy: `permissions.defaultMode in ${settings.files.user}` },
    });
  });

  it('is its default for root where it would refuse to start without permissions', async () => {
    const settings = createSettings({ user: 'bypassPermissions' });
    expect(await settings.read({ isRoot: true })).toMatchObject({ permissionMode: 'default' });
    expect(await settings.read()).toMatchObject({ permissionMode: 'bypassPermissions' });
    const sandboxed = createSettings({ user: 'bypassPermissions' }, { IS_SANDBOX: '1' });
    expect(await sandboxed.read({ isRoot: true })).toMatchObject({ permissionMode: 'bypassPermissions' });
  });

  it('is its default where the settings cannot be read', async () => {
    const settings = createSettings({ user: 'plan' });
    writeFileSync(settings.files.user, '{"permissions": [');
    expect(await settings.read()).toEqual({ permissionMode: 'default', access: { mode: 'normal' } });
  });
});

it.each([
  [undefined, true],
  ['https://api.anthropic.com', true],
  ['https://api.anthropic.com.example.org', false],
  ['http://127.0.0.1:9', false],
])('the check of commands in plan mode exists only on the server of Anthropic: %s', (url, expected) => {
  expect(hasServerCheck({ ANTHROPIC_BASE_URL: url })).toBe(expected);
});
