import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodexWhatRuns } from '../../../server/providers/acp/agents/codex-what-runs.ts';
import { createHostileRepository, writeCodexSettings } from '../../support/agents/hostile-repository.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

function scene() {
  const root = scratchDirectory();
  const home = join(root, 'home');
  const projectDir = join(home, 'project');
  mkdirSync(projectDir, { recursive: true });
  const whatRuns = createCodexWhatRuns('codex', { HOME: home });
  const write = (path: string, contents: string) => {
    const target = join(projectDir, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, contents);
  };
  const find = () => whatRuns(projectDir);
  const names = async () => (await find()).map(({ kind, name }) => `${kind} ${name}`);
  return { home, projectDir, write, find, names };
}

describe('what Codex would run', () => {
  it("safe/trust-list is nothing in an ordinary directory below the user's own configuration", async () => {
    const { find, write } = scene();
    write('../.codex/config.toml', '[mcp_servers.mine]\ncommand = "mine"\n');
    write('.codex/config.toml', 'model = "gpt"\nmodel_reasoning_effort = "high"\n[tui]\ntheme = "dark"\n');
    write('AGENTS.md', 'Be kind.');
    write('.agents/skills/a/SKILL.md', '---\nname: a\n---\nText.');
    expect(await find()).toEqual([]);
  });

  it('safe/trust-list is listed completely for a hostile repository, with the file of each', async () => {
    const repository = createHostileRepository(scratchDirectory());
    writeCodexSettings(repository);
    const found = await createCodexWhatRuns('codex', { HOME: '/nowhere' })(repository.projectDir);
    const ofConfig = (file: string, server: string) => [
      `env shell_environment_policy ${file}`,
      `helper notify ${file}`,
      `hook SessionStart ${file}`,
      `mcp-server ${server} ${file}`,
      `rule approval_policy ${file}`,
      `rule sandbox_mode ${file}`,
      `setting model_providers ${file}`,
    ];
    expect(found.map(({ kind, name, file }) => `${kind} ${name} ${file}`).toSorted()).toEqual(
      [
        ...ofConfig('.codex/config.toml', 'near'),
        ...ofConfig('../.codex/config.toml', 'above'),
        'hook SessionStart .codex/hooks.json',
        'hook UserPromptSubmit .codex/hooks.json',
        'mcp-server helper: agent .codex/agents/helper.toml',
        'plugin marketplace.json .agents/plugins/marketplace.json',
        'rule allow.rules .codex/rules/allow.rules',
      ].toSorted(),
    );
  });

  it("safe/trust-list names the user's own untrusted, which the adapter would override", async () => {
    const { projectDir, find, write } = scene();
    write('../.codex/config.toml', `[projects."${projectDir}"]\ntrust_level = "untrusted"\n`);
    expect(await find()).toMatchObject([{ kind: 'rule', name: 'trust_level', isRefused: true }]);
    write('../.codex/config.toml', `[projects."${projectDir}"]\ntrust_level = "trusted"\n`);
    expect(await find()).toEqual([]);
    write('../.codex/config.toml', 'not [ toml');
    expect(await find()).toEqual([]);
  });

  it.each([
    ['config.toml', 'mcp_servers = '],
    ['config.toml', 'a = 1\na = 2\n'],
    ['hooks.json', '{'],
    ['agents/a.toml', '= ='],
  ])('safe/trust-list counts an invalid %s as something that would run', async (path, text) => {
    const { names, write } = scene();
    write(`.codex/${path}`, text);
    expect(await names()).toEqual([`unreadable ${path.replace('agents/', '')}`]);
  });

  it('safe/trust-list lists what only a later version knows, and values that JSON does not have', async () => {
    const { names, write } = scene();
    write('.codex/config.toml', 'tomorrow = 1979-05-27T07:32:00Z\nbig = 9007199254740991\nconstructor = "x"\n');
    expect(await names()).toEqual(['setting tomorrow', 'setting big', 'setting constructor']);
  });
});
