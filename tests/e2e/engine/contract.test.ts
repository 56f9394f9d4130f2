import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  claudeEnvironment,
  createScratchHome,
  gate,
  prepareCodexHome,
  say,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import { systemClock } from '../../../server/clock.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createAcpProvider } from '../../../server/providers/acp/acp-provider.ts';
import type { AcpAgent } from '../../../server/providers/acp/agents/acp-agent.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { fixtureAgent } from '../../support/agents/acp-rig.ts';
import { secondAgentScript } from '../../support/agents/second-agent.ts';
import type { ContractAgent, ContractOptions, ContractSubject } from '../../support/contract/contract-rig.ts';
import { describeContract } from '../../support/contract/describe-contract.ts';
import { type AgentHome, createAgentHome, hungAfter } from '../../support/contract/subjects.ts';

const rules = [
  { when: 'hello', scenario: [[say('Hello from the model.')]] },
  { when: 'hold', scenario: [[say('one two three '), gate('never'), say('four')]] },
];

/** A scripted model and a home in which the real agents run. */
interface Scene extends AgentHome {
  readonly env: Readonly<Record<string, string>>;
}

async function prepare(
  environment: (baseUrl: string, home: string) => Promise<Record<string, string>>,
): Promise<Scene> {
  const model = await startScriptedModel({ rules });
  const scratch = await createScratchHome();
  onTestFinished(async () => {
    await model.close();
    await scratch.cleanup();
  });
  return { ...createAgentHome(scratch.home), env: await environment(model.url, scratch.home) };
}

type Create = (scene: Scene, options: ContractOptions, program?: 'hangs' | 'missing') => CliProvider;

function realSubject(
  traits: Pick<ContractSubject, 'name' | 'sharedProcess' | 'historyWithoutProcess'>,
  scene: () => Promise<Scene>,
  create: Create,
): ContractSubject {
  const agent = (where: Scene, ...rest: [ContractOptions, ('hangs' | 'missing')?]): ContractAgent =>
    where.agent(create(where, ...rest));
  return {
    ...traits,
    messages: { answer: 'hello', hold: 'hold' },
    answerText: 'Hello from the model.',
    create: async (options = {}) => agent(await scene(), options),
    createBroken: async () => agent(await scene(), {}, 'missing'),
    async createHung(options) {
      const where = await scene();
      return hungAfter(agent(where, {}), () => agent(where, options, 'hangs'), 'hello');
    },
  };
}

const hangingProgram = join(import.meta.dirname, '../../fixtures/programs/print-nothing.mjs');

const claude = realSubject(
  { name: 'Claude Code', sharedProcess: false, historyWithoutProcess: true },
  () => prepare(async (baseUrl, home) => claudeEnvironment({ baseUrl, home })),
  ({ host, env }, options, program) =>
    createClaudeProvider({
      host,
      env,
      promptTimeoutMs: 60_000,
      spare: false,
      onProblem: () => {},
      ...(program === 'hangs' && { claudePath: hangingProgram }),
      ...(program === 'missing' && { claudePath: '/nowhere/claude' }),
      ...options,
    }),
);

function acpProvider(agent: AcpAgent, { host, env }: Scene, options: ContractOptions, program?: 'hangs' | 'missing') {
  const locate = () => {
    if (program === 'missing') return 'It is not installed.';
    return program === 'hangs' ? fixtureAgent('never-answers') : agent.locate();
  };
  return createAcpProvider({
    agent: { ...agent, locate },
    host,
    env,
    clock: systemClock,
    decidePermission: async () => ({ allow: true }),
    startTimeoutMs: 30_000,
    promptTimeoutMs: 60_000,
    version: '0.0.0-test',
    onProblem: () => {},
    ...options,
  });
}

const codex = realSubject(
  { name: 'Codex', sharedProcess: true, historyWithoutProcess: true },
  () => prepare((baseUrl, home) => prepareCodexHome({ baseUrl, home })),
  (scene, ...rest) => acpProvider(createCodexAgent({ env: scene.env }), scene, ...rest),
);

const secondAgent: AcpAgent = {
  cliType: 'claude-acp',
  label: 'Claude over ACP',
  signInHint: '',
  env: {},
  whatRuns: async () => [],
  locate: () => ({ command: process.execPath, args: [secondAgentScript()] }),
};

const second = realSubject(
  { name: 'second ACP agent', sharedProcess: true, historyWithoutProcess: false },
  () => prepare(async (baseUrl, home) => claudeEnvironment({ baseUrl, home })),
  (scene, ...rest) => acpProvider(secondAgent, scene, ...rest),
);

for (const subject of [claude, codex, second]) describeContract(subject);
