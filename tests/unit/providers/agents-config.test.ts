import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgentsConfig } from '../../../server/providers/agents-config.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

function withFile(content: unknown): string {
  const dataDir = scratchDirectory();
  writeFileSync(join(dataDir, 'agents.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return dataDir;
}

const agent = { cliType: 'mine', label: 'Mine', command: 'my-agent', protocol: 'acp' };

describe('agents.json', () => {
  it('may be missing', async () => {
    expect(await readAgentsConfig(scratchDirectory())).toEqual({ agents: [], problems: [] });
  });

  it('names agents, with defaults for what they do not need', async () => {
    const envelope = { ...agent, cliType: 'other', args: ['-x'], env: { KEY: 'v' }, protocol: 'envelope' };
    expect(await readAgentsConfig(withFile({ version: 1, agents: [agent, envelope] }))).toEqual({
      agents: [{ ...agent, args: [], env: {} }, envelope],
      problems: [],
    });
  });

  it.for([
    ['no command', { ...agent, command: undefined }, 'command: '],
    ['an empty label', { ...agent, label: ' ' }, 'label: '],
    ['a type that is no type', { ...agent, cliType: 'My Agent' }, 'cliType: expected lower-case letters'],
    ['an unknown protocol', { ...agent, protocol: 'smtp' }, 'protocol: '],
    ['a misspelt field', { ...agent, arguments: [] }, 'arguments'],
    ['no object', 'my-agent', 'value: '],
    ['the type of a built-in agent', { ...agent, cliType: 'codex' }, 'the type "codex" is taken'],
    ['a type used twice', { ...agent, cliType: 'good' }, 'the type "good" is taken'],
  ] as const)('leaves out an entry with %s, says so, and uses the rest', async ([, bad, words]) => {
    const good = { ...agent, cliType: 'good' };
    const { agents, problems } = await readAgentsConfig(withFile({ version: 1, agents: [good, bad, agent] }));
    expect(agents.map(({ cliType }) => cliType)).toEqual(['good', 'mine']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^Agent 2 in .*agents\.json is left out: /);
    expect(problems[0]).toContain(words);
  });

  it('safe/agent-names leaves out an agent with the name of a built-in property and says why', async () => {
    const { agents, problems } = await readAgentsConfig(
      withFile({ version: 1, agents: [{ ...agent, cliType: 'constructor' }, agent] }),
    );
    expect(agents.map(({ cliType }) => cliType)).toEqual(['mine']);
    expect(problems).toEqual([
      expect.stringMatching(
        /^Agent 1 in .*agents\.json is left out: cliType: "constructor" is reserved\. Choose another\.$/,
      ),
    ]);
  });

  it.for(['__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'])(
    'safe/agent-names has no agent named %s that a lookup could confuse with a built-in property',
    async (cliType) => {
      const { agents } = await readAgentsConfig(withFile({ version: 1, agents: [{ ...agent, cliType }] }));
      expect(agents.filter(({ cliType: name }) => name in Object.prototype)).toEqual([]);
    },
  );

  it.for([
    ['not JSON', '{"version": 1,', 'not valid JSON'],
    ['of another version', { version: 2, agents: [] }, 'version: '],
    ['without agents', { version: 1 }, 'agents: '],
  ] as const)('that is %s is reported and does not stop the start', async ([, content, words]) => {
    const { agents, problems } = await readAgentsConfig(withFile(content));
    expect(agents).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
  });

  it('that cannot be read is reported', async () => {
    const dataDir = scratchDirectory();
    mkdirSync(join(dataDir, 'agents.json'));
    expect((await readAgentsConfig(dataDir)).problems[0]).toContain('could not be read (EISDIR)');
  });
});
