import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  claudeEnvironment,
  createScratchHome,
  type ScratchHome,
  type ScriptedModel,
  say,
  shell,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import type { ToldList } from '../../../server/engine/native-sessions.ts';
import { createFolderWatches } from '../../../server/folder-watches.ts';
import { createLogger } from '../../../server/log.ts';
import { createProcessHost, createProcessLedger, type ProcessHost } from '../../../server/processes/index.ts';
import { type RegisteredProviders, registerProviders } from '../../../server/register-providers.ts';
import { watchSession } from '../../support/agents/acp-rig.ts';
import { secondAgentScript } from '../../support/agents/second-agent.ts';

let scratch: ScratchHome;
let model: ScriptedModel;
let dataDir: string;
let host: ProcessHost;
let providers: RegisteredProviders;

beforeEach(async () => {
  scratch = await createScratchHome();
  dataDir = await realpath(await mkdtemp(join(tmpdir(), 'liminal-test-')));
  model = await startScriptedModel({
    rules: [{ when: 'tool', scenario: [[say('Running it.'), shell('echo one')], [say('It ran.')]] }],
  });
  const agent = {
    cliType: 'claude-acp',
    label: 'Claude over ACP',
    command: process.execPath,
    args: [secondAgentScript()],
    env: claudeEnvironment({ baseUrl: model.url, home: scratch.home }),
    protocol: 'acp',
  };
  await writeFile(join(dataDir, 'agents.json'), JSON.stringify({ version: 1, agents: [agent, { cliType: 'broken' }] }));
  host = createProcessHost({ ledger: createProcessLedger(dataDir) });
});

afterEach(async () => {
  host?.killAll('the test is over');
  await Promise.all(providers?.registry.list().map((provider) => provider.close()) ?? []);
  await providers?.close();
  await model?.close();
  await scratch?.cleanup();
  await rm(dataDir, { recursive: true, force: true });
});

describe('an agent that is only in agents.json', () => {
  it('is listed, answers, runs a tool with permission, and replays its conversation', async () => {
    const warnings: string[] = [];
    providers = await registerProviders({
      watches: createFolderWatches(),
      config: {
        port: 0,
        host: '127.0.0.1',
        ownName: true,
        dataDir,
        open: false,
        demo: false,
        startTimeoutMs: 30_000,
        promptTimeoutMs: 600_000,
        sleepAfterMs: 900_000,
        maxAwake: 8,
        spare: false,
        keep: false,
        keepLimitBytes: 0,
      },
      // Not the environment of the tests: what the agent needs is in agents.json.
      env: { PATH: process.env.PATH },
      host,
      log: createLogger('no token', () => {}),
      version: '0.0.0-test',
      allowedIn: () => new Set(),
      warn: (message) => warnings.push(message),
    });
    const { registry } = providers;
    expect(registry.list().map(({ cliType }) => cliType)).toEqual(['claude-code', 'codex', 'claude-acp']);
    expect(warnings).toEqual([expect.stringContaining('Agent 2')]);
    const provider = registry.resolve('claude-acp');
    expect(await provider.checkAvailability()).toEqual({
      cliType: 'claude-acp',
      label: 'Claude over ACP',
      available: true,
    });

    const { projectDir } = scratch;
    const told = new Promise<ToldList>((resolve) => provider.told?.onTold(resolve));
    const { sessionId } = await provider.createSession({ projectDir });
    const watch = watchSession(provider, sessionId);
    expect((await watch.turn('hello')).text).toBe('Hello from the scripted model.');
    const { items, end } = await watch.turn('use the tool');
    expect(items.slice(1)).toMatchObject([
      { type: 'message', content: 'Running it.', status: 'complete' },
      {
        type: 'tool_call',
        toolName: 'Bash',
        toolKind: 'execute',
        status: 'complete',
        toolArguments: { command: 'echo one' },
        toolOutput: expect.stringContaining('one'),
        toolOutputIsError: false,
      },
      { type: 'message', content: 'It ran.', status: 'complete' },
    ]);
    expect(end).toMatchObject({
      type: 'turn_complete',
      status: 'completed',
      usage: { inputTokens: expect.any(Number) },
    });

    // It is asked 1 s after it became ready, when the first turn may or may not be stored.
    expect(await told).toMatchObject({ isWhole: true });

    await provider.killSession(sessionId);
    const { history } = await provider.loadSession(sessionId, { projectDir });
    expect(history.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
      'message',
      'tool_call',
      'message',
    ]);
    expect((await watch.turn('context')).text).toBe('I know 3 user messages. The first was: hello');
  });
});
