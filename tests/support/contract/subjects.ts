import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createProcessHost, createProcessLedger, type ProcessHost } from '../../../server/processes/index.ts';
import { type AcpProviderDeps, createAcpProvider } from '../../../server/providers/acp/acp-provider.ts';
import { type ClaudeProviderDeps, createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { fixtureAgent } from '../agents/acp-rig.ts';
import { createEnvelopeRig, type EnvelopeRigOptions } from '../agents/envelope-rig.ts';
import { scratchDirectory } from '../scratch-directory.ts';
import type { ContractAgent, ContractOptions, ContractSubject, HungAgent } from './contract-rig.ts';

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** A real program that speaks envelopes. It has no handshake, so that its start cannot hang. */
export const envelopeSubject: ContractSubject = {
  name: 'envelope program',
  messages: { answer: 'echo hello', hold: 'half' },
  answerText: 'echo hello',
  sharedProcess: false,
  historyWithoutProcess: true,
  async create(options) {
    return envelopeAgent({ flags: ['polite'], ...options });
  },
  async createBroken() {
    return envelopeAgent({ command: '/nowhere/agent' });
  },
};

function envelopeAgent(options: EnvelopeRigOptions): ContractAgent {
  const { provider, projectDir, running, pids } = createEnvelopeRig(options);
  const crash = () => {
    for (const pid of pids()) killIfRunning(pid);
  };
  return { provider, projectDir, running, crash, pass };
}

/** A home in which one agent after the other runs, and everything they started. */
export function createAgentHome(home = scratchDirectory()) {
  const projectDir = join(home, 'project');
  mkdirSync(projectDir, { recursive: true });
  const ledger = createProcessLedger(join(home, 'ledger'));
  const host = createProcessHost({ ledger });
  return {
    home,
    projectDir,
    host,
    agent(provider: CliProvider): ContractAgent {
      onTestFinished(() => provider.close());
      const crash = () => {
        for (const { leader } of ledger.entries()) if (leader !== undefined) killIfRunning(leader.pid);
      };
      return { provider, projectDir, running: () => ledger.entries().length, crash, pass };
    },
  };
}
export type AgentHome = ReturnType<typeof createAgentHome>;

/** A session that was used, whose agent then does not start any more. */
export async function hungAfter(
  working: ContractAgent,
  hung: () => ContractAgent,
  message: string,
): Promise<HungAgent> {
  const { provider, projectDir } = working;
  const { sessionId } = await provider.createSession({ projectDir });
  const ended = new Promise<void>((resolve) => {
    provider.onTurn(sessionId, ({ type }) => {
      if (type !== 'turn_started') resolve();
    });
  });
  await provider.sendMessage(sessionId, message);
  await ended;
  await provider.close();
  return { ...hung(), sessionId };
}

const programs = (name: string) => fileURLToPath(new URL(`../../fixtures/programs/${name}.mjs`, import.meta.url));

/** The real SDK with a small program in place of Claude Code. */
export const claudeProgramSubject: ContractSubject = {
  name: 'Claude program',
  messages: { answer: 'hello', hold: 'hold' },
  answerText: 'echo hello',
  sharedProcess: false,
  historyWithoutProcess: true,
  create: async (options) => claudeAgent(createAgentHome(), 'claude-agent', options),
  async createHung(options) {
    const home = createAgentHome();
    const working = claudeAgent(home, 'claude-agent', {});
    return hungAfter(working, () => claudeAgent(home, 'print-nothing', options), 'hello');
  },
  createBroken: async () => claudeAgent(createAgentHome(), 'no-such-program'),
};

function claudeAgent(home: AgentHome, program: string, options: ContractOptions = {}): ContractAgent {
  return home.agent(claudeProvider(home, { claudePath: programs(program), ...options }));
}

function claudeProvider({ home, host }: AgentHome, options: Partial<ClaudeProviderDeps>): CliProvider {
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') };
  return createClaudeProvider({ host, env, promptTimeoutMs: 60_000, spare: false, onProblem: () => {}, ...options });
}

/** A small agent that speaks the Agent Client Protocol. */
export const acpProgramSubject: ContractSubject = {
  name: 'ACP program',
  messages: { answer: 'hello', hold: 'wait' },
  answerText: 'You said: hello',
  sharedProcess: true,
  historyWithoutProcess: false,
  create: async (options) => acpAgent(createAgentHome(), 'talker', options),
  async createHung(options) {
    const home = createAgentHome();
    const working = acpAgent(home, 'talker', {});
    return hungAfter(working, () => acpAgent(home, 'never-answers', options), 'hello');
  },
  createBroken: async () => acpAgent(createAgentHome(), 'exits-on-start'),
};

function acpAgent(home: AgentHome, name: string, options: ContractOptions = {}): ContractAgent {
  const command = fixtureAgent(name, `--memory=${home.home}`, '--resume', '--close');
  const names = { cliType: 'fixture', label: 'Fixture', signInHint: '' };
  const agent = { ...names, env: {}, whatRuns: async () => [], locate: () => command };
  return home.agent(acpProvider(home.host, { agent, ...options }));
}

function acpProvider(host: ProcessHost, options: Partial<AcpProviderDeps> & Pick<AcpProviderDeps, 'agent'>) {
  return createAcpProvider({
    host,
    env: process.env,
    clock: systemClock,
    decidePermission: async () => ({ allow: true }),
    startTimeoutMs: 15_000,
    promptTimeoutMs: 60_000,
    version: '0.0.0-test',
    onProblem: () => {},
    ...options,
  });
}
