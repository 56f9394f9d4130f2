import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeWhatRuns } from '../../../server/providers/claude/project-settings/what-runs.ts';
import { createHostileRepository, writeClaudeSettings } from '../../support/agents/hostile-repository.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

function scene() {
  const root = scratchDirectory();
  const home = join(root, 'home');
  const projectDir = join(root, 'project');
  mkdirSync(home);
  mkdirSync(projectDir);
  const whatRuns = createClaudeWhatRuns('claude-code', { HOME: home });
  const write = (path: string, contents: unknown) => {
    const target = join(projectDir, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, typeof contents === 'string' ? contents : JSON.stringify(contents));
  };
  const find = () => whatRuns(projectDir);
  const names = async () => (await find()).map(({ kind, name }) => `${kind} ${name}`);
  return { root, home, projectDir, whatRuns, write, find, names };
}

const hook = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });

describe('what Claude Code would run', () => {
  it('safe/trust-list is nothing in an ordinary directory, with memory, text-only skills and harmless settings', async () => {
    const { find, write } = scene();
    write('CLAUDE.md', 'Be kind. @other.md');
    write('.claude/settings.json', {
      model: 'opus',
      $schema: 'x',
      permissions: { deny: ['Bash(rm *)'], ask: ['Read'] },
    });
    write('.claude/settings.local.json', { hooks: {}, env: {}, permissions: { allow: [] } });
    write('.claude/skills/a/SKILL.md', '---\nname: a\ndescription: |\n  hooks: none\n---\nText with `code`.\n');
    write('.claude/commands/b.md', 'Only text.\n');
    write('.mcp.json', { mcpServers: {} });
    expect(await find()).toEqual([]);
  });

  it('safe/trust-list is listed completely for a hostile repository, with the file of each', async () => {
    const repository = createHostileRepository(scratchDirectory());
    writeClaudeSettings(repository);
    const found = await createClaudeWhatRuns('claude-code', { HOME: '/nowhere' })(repository.projectDir);
    expect(found.map(({ kind, name, file }) => `${kind} ${name} ${file}`).toSorted()).toEqual([
      'agent helper .claude/agents/helper.md',
      'command deploy .claude/commands/deploy.md',
      'env EVIL .claude/settings.json',
      'helper apiKeyHelper ../.claude/settings.local.json',
      'helper awsAuthRefresh .claude/settings.json',
      'helper fileSuggestion .claude/settings.json',
      'helper otelHeadersHelper .claude/settings.json',
      'hook PostToolUse .claude/settings.json',
      'hook PreToolUse .claude/settings.json',
      'hook SessionEnd .claude/settings.json',
      'hook SessionStart .claude/settings.json',
      'hook SessionStart .claude/settings.local.json',
      'hook Stop .claude/settings.json',
      'hook UserPromptSubmit .claude/settings.json',
      'mcp-server above ../../.mcp.json',
      'mcp-server near .mcp.json',
      'plugin enabledPlugins .claude/settings.json',
      'plugin extraKnownMarketplaces .claude/settings.json',
      'rule additionalDirectories .claude/settings.json',
      'rule allow .claude/settings.json',
      'rule defaultMode .claude/settings.json',
      'setting aSettingOfTomorrow .claude/settings.json',
      'skill tidy .claude/skills/tidy/SKILL.md',
      'status-line statusLine .claude/settings.json',
    ]);
  });

  it('safe/trust-again has the same ids when only the layout of a file changes, and another one when a command does', async () => {
    const { find, write } = scene();
    const ids = async () => (await find()).map(({ id }) => id);
    write('.mcp.json', '{"mcpServers":{"a":{"command":"x","args":["1"]},"b":{"command":"y"}}}');
    const before = await ids();
    write('.mcp.json', '{ "mcpServers": {\n "a": {"args": ["1"], "command": "x"},\n "b": {"command": "y"} } }\n');
    expect(await ids()).toEqual(before);
    write('.mcp.json', '{"mcpServers":{"a":{"command":"x","args":["2"]},"b":{"command":"y"}}}');
    const after = await ids();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it("safe/trust-list does not contain the user's own settings above the directory, also through a link", async () => {
    const { home, whatRuns } = scene();
    const projectDir = join(home, 'work', 'project');
    mkdirSync(projectDir, { recursive: true });
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(hook('mine')));
    symlinkSync(join(home, '.claude'), join(projectDir, '.claude'));
    expect(await whatRuns(projectDir)).toEqual([]);
  });

  it('safe/trust-list follows a link to settings elsewhere, and finds those of the main checkout of a worktree', async () => {
    const { root, projectDir, names, whatRuns, write } = scene();
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'settings.json'), JSON.stringify(hook('linked')));
    symlinkSync(elsewhere, join(projectDir, '.claude'));
    expect(await names()).toEqual(['hook Stop']);

    rmSync(join(projectDir, '.claude'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: projectDir });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', join(root, 'tree'));
    write('.claude/settings.local.json', hook('main'));
    expect((await whatRuns(join(root, 'tree'))).map(({ file }) => file)).toEqual([
      '../project/.claude/settings.local.json',
    ]);
  });

  const badFiles: readonly [string, (path: string) => void][] = [
    ['is not JSON', (path) => writeFileSync(path, '{"hooks": ')],
    ['has comments', (path) => writeFileSync(path, '{} // hooks')],
    ['is a list', (path) => writeFileSync(path, '[{"hooks": {}}]')],
    ['is not text', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00]))],
    ['is huge', (path) => writeFileSync(path, `{"a": "${'x'.repeat(2 * 1024 * 1024)}"}`)],
    ['is a directory', (path) => mkdirSync(path)],
    ['is a pipe', (path) => execFileSync('mkfifo', [path])],
    ['is a device', (path) => symlinkSync('/dev/zero', path)],
    ['links to itself', (path) => symlinkSync(path, path)],
  ];
  it.each(badFiles)(
    'safe/trust-list counts a settings file that %s as something that would run',
    async (_how, make) => {
      const { projectDir, names } = scene();
      mkdirSync(join(projectDir, '.claude'));
      make(join(projectDir, '.claude', 'settings.json'));
      expect(await names()).toEqual([expect.stringMatching(/^unreadable /)]);
    },
  );

  it('safe/trust-list lists every hook of odd shapes, hostile names, and at most a few hundred entries', async () => {
    const { find, names, write } = scene();
    write('.claude/settings.json', {
      hooks: { Stop: 'evil', Start: [{ command: 'evil' }], __proto__x: [{ hooks: 'evil' }] },
      env: ['A=1'],
      permissions: 'all',
      constructor: 'evil',
    });
    expect(await names()).toEqual([
      'hook Stop',
      'hook Start',
      'hook __proto__x',
      'env env',
      'rule permissions',
      'setting constructor',
    ]);

    const servers = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`s${at}`, { command: 'x'.repeat(50) }]),
    );
    write('.claude/settings.json', {});
    write('.mcp.json', { mcpServers: { ...servers, ['n'.repeat(10_000)]: { command: 'y'.repeat(100_000) } } });
    const found = await find();
    expect(found).toHaveLength(201);
    expect(found.at(-1)?.name).toBe('4801 more');
    for (const { name, detail } of found) expect(name.length + detail.length).toBeLessThan(2_300);
    const before = found.at(-1)?.id;
    write('.mcp.json', { mcpServers: { ...servers, s4999: { command: 'other' } } });
    expect((await find()).at(-1)?.id).not.toBe(before);
  });

  const active: readonly [string, string, string][] = [
    ['a hook', 'agents/a.md', '---\nname: a\nhooks:\n  Stop: []\n---\n'],
    ['a quoted key', 'agents/a.md', '---\n"hooks": {}\n---\n'],
    ['a flow mapping', 'skills/a/SKILL.md', '---\n{name: a, hooks: {}}\n---\n'],
    ['a blank before the colon', 'agents/a.md', '---\nname: a\nhooks : {}\n---\n'],
    ['allowed tools', 'commands/deep/a.md', '---\nallowed-tools: Bash(*)\n---\n'],
    ['an unclosed front matter', 'agents/a.md', '---\nhooks: {}\n'],
    ['other line ends', 'agents/a.md', '---\r\nname: a\r\nmcpServers: []\r\n---\r\n'],
    ['a shell command', 'commands/a.md', 'Look: !`touch x`\n'],
    ['a shell block', 'skills/a/SKILL.md', '---\nname: a\n---\n```!\ntouch x\n```\n'],
  ];
  it.each(active)('safe/trust-list lists Markdown with %s', async (_how, path, text) => {
    const { find, write } = scene();
    write(`.claude/${path}`, text);
    expect(await find()).toHaveLength(1);
  });

  it('safe/trust-list finds a sub-agent however deep it lies, and does not follow links in circles for ever', async () => {
    const { projectDir, names, write } = scene();
    write(`.claude/agents/${'d/'.repeat(12)}deep.md`, '---\nhooks: {}\n---\n');
    expect(await names()).toEqual(['agent deep']);
    for (const link of ['a', 'b', 'c']) symlinkSync('.', join(projectDir, '.claude', 'agents', link));
    expect(await names()).toContainEqual('unreadable agents');
  });

  it('safe/trust-list lists plugins inside skills, workflows and scheduled tasks', async () => {
    const { names, write } = scene();
    write('.claude/skills/p/.claude-plugin/plugin.json', { name: 'p' });
    write('.claude/skills/p/hooks/hooks.json', hook('evil'));
    write('.claude/workflows/w.js', 'run()');
    write('.claude/scheduled_tasks.json', [{ prompt: 'evil' }]);
    expect(await names()).toEqual([
      'command scheduled_tasks.json',
      'plugin plugin.json',
      'plugin hooks.json',
      'command w.js',
    ]);
  });
});
