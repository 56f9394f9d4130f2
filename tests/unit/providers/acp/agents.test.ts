import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodexAgent, splitCommandLine } from '../../../../server/providers/acp/agents/codex-agent.ts';
import { createConfiguredAgent } from '../../../../server/providers/acp/agents/configured-agent.ts';
import type { ConfiguredAgent } from '../../../../server/providers/agents-config.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const HINT = "Check that it's installed: npm install -g @agentclientprotocol/codex-acp";

function executable(folder: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function withAdapter(): string {
  const root = scratchDirectory();
  const folder = join(root, 'node_modules/@agentclientprotocol/codex-acp');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ bin: { 'codex-acp': 'dist/index.js' } }));
  return root;
}

describe('the command of Codex', () => {
  it('runs the adapter of the installed package with this runtime', () => {
    const root = withAdapter();
    const agent = createCodexAgent({ env: {}, packagesFrom: join(root, 'from.js') });
    expect(agent.locate()).toEqual({
      command: process.execPath,
      args: [join(root, 'node_modules/@agentclientprotocol/codex-acp/dist/index.js')],
    });
  });

  it('finds the adapter among the packages of this installation', () => {
    expect(createCodexAgent({ env: {} }).locate()).toMatchObject({ command: process.execPath });
  });

  it.for([
    [undefined, '{"thread_unload_delay_secs":0}'],
    ['{"model":"x"}', '{"thread_unload_delay_secs":0,"model":"x"}'],
    ['{"thread_unload_delay_secs":30}', '{"thread_unload_delay_secs":30}'],
    ['not json', 'not json'],
  ] as const)(
    'follow/idle-lock lets go of a closed session at once, unless the user said otherwise (%s)',
    ([chosen, told]) => {
      expect(createCodexAgent({ env: { CODEX_CONFIG: chosen } }).env.CODEX_CONFIG).toBe(told);
    },
  );

  it('is codex-acp on the PATH when the package is not installed', () => {
    const folder = scratchDirectory();
    const path = executable(folder, 'codex-acp');
    const env = { PATH: `/nowhere:${folder}` };
    expect(createCodexAgent({ env, packagesFrom: '/nowhere/from.js' }).locate()).toEqual({ command: path, args: [] });
  });

  it('is the configured one, if there is one', () => {
    const root = withAdapter();
    const path = executable(root, 'my adapter');
    const agent = createCodexAgent({ env: {}, command: `"${path}" --fast`, packagesFrom: join(root, 'from.js') });
    expect(agent.locate()).toEqual({ command: path, args: ['--fast'] });
  });

  it.for([
    [undefined, HINT],
    ['/nowhere/adapter', `The command "/nowhere/adapter" in CODEX_ACP_CMD was not found. ${HINT}`],
  ] as const)('mvp/TC-5.5a reports how to install it when it is missing (%s)', ([command, reason]) => {
    const agent = createCodexAgent({ env: { PATH: '/nowhere' }, command, packagesFrom: '/nowhere/from.js' });
    expect(agent.locate()).toBe(reason);
  });
});

describe('the command of a configured agent', () => {
  const entry: ConfiguredAgent = {
    cliType: 'mine',
    label: 'Mine',
    command: 'my-agent',
    args: ['--acp'],
    env: {},
    protocol: 'acp',
  };

  const readsNothing = async () => [];

  it('is searched for on its own PATH first, then on that of the server', () => {
    const folder = scratchDirectory();
    executable(folder, 'my-agent');
    const located = { command: 'my-agent', args: ['--acp'] };
    expect(createConfiguredAgent(entry, { PATH: folder }, readsNothing).locate()).toEqual(located);
    const withPath = { ...entry, env: { PATH: folder } };
    expect(createConfiguredAgent(withPath, { PATH: '/nowhere' }, readsNothing).locate()).toEqual(located);
  });

  it('reports what to do when it is missing', () => {
    expect(createConfiguredAgent(entry, { PATH: '/nowhere' }, readsNothing).locate()).toBe(
      'The command "my-agent" was not found. Check that it\'s installed, or correct it in agents.json.',
    );
  });
});

describe('a command line', () => {
  it.for([
    ['codex-acp', 'codex-acp', []],
    ['  node  adapter.js --flag ', 'node', ['adapter.js', '--flag']],
    [`"/with blank/agent" 'a b' ""`, '/with blank/agent', ['a b', '']],
    ['agent $HOME *', 'agent', ['$HOME', '*']],
    ['', '', []],
  ] as const)('%j is split into a command and its arguments', ([line, command, args]) => {
    expect(splitCommandLine(line)).toEqual({ command, args });
  });
});
