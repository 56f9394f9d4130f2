import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { decidePermission } from './engine/permission.ts';
import type { AllowedIn } from './engine/project-gate.ts';
import { createProviderRegistry, type ProviderRegistry } from './engine/provider-registry.ts';
import type { CliProvider } from './engine/provider-types.ts';
import type { FolderWatches } from './folder-watches.ts';
import type { Logger } from './log.ts';
import type { ProcessHost } from './processes/index.ts';
import { createAcpProvider } from './providers/acp/acp-provider.ts';
import type { AcpAgent } from './providers/acp/agents/acp-agent.ts';
import { createCodexAgent } from './providers/acp/agents/codex-agent.ts';
import { createConfiguredAgent } from './providers/acp/agents/configured-agent.ts';
import { openSessionAliases, type SessionAliases } from './providers/acp/session/session-aliases.ts';
import { type ConfiguredAgent, readAgentsConfig } from './providers/agents-config.ts';
import { createClaudeProvider } from './providers/claude/claude-provider.ts';
import { createEnvelopeProvider } from './providers/envelope/envelope-driver.ts';
import type { WhatRuns } from './trust/index.ts';

export interface ProviderDeps {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly host: ProcessHost;
  readonly log: Logger;
  readonly version: string;
  /** Of the agents' folders. */
  readonly watches: FolderWatches;
  /** What the user allowed to run in a directory. */
  readonly allowedIn: AllowedIn;
  readonly warn: (message: string) => void;
}

export interface RegisteredProviders {
  readonly registry: ProviderRegistry;
  /** Closes what the providers keep on the disk; to be called after the providers themselves were closed. */
  close(): Promise<void>;
}

/** The agents of this server: Claude Code, Codex, and those in agents.json. Starts none of them. */
export async function registerProviders(deps: ProviderDeps): Promise<RegisteredProviders> {
  const { config, env, host, log, allowedIn } = deps;
  const registry = createProviderRegistry();
  const aliases = await openSessionAliases(config.dataDir, { onError: (error) => log.error({ err: error }) });
  registry.register(
    createClaudeProvider({
      host,
      env,
      folderWatches: deps.watches,
      claudePath: config.claudePath,
      promptTimeoutMs: config.promptTimeoutMs,
      sleepAfterMs: config.sleepAfterMs,
      maxAwake: config.maxAwake,
      spare: config.spare,
      decidePermission,
      allowedIn,
      startTimeoutMs: config.startTimeoutMs,
      onProblem: (problem, error) => log.warn({ err: error, agent: 'claude-code' }, problem),
    }),
  );
  registry.register(acpProvider(createCodexAgent({ env, command: config.codexAcpCommand }), aliases, deps));

  const { agents, problems } = await readAgentsConfig(config.dataDir);
  for (const problem of problems) deps.warn(problem);
  // Nobody knows which settings a configured agent reads, so all that are known count for it.
  const known = registry.list();
  const whatRuns: WhatRuns = async (projectDir) =>
    (await Promise.all(known.map((provider) => provider.whatRuns(projectDir)))).flat();
  for (const entry of agents) registry.register(configuredProvider(entry, whatRuns, aliases, deps));
  return { registry, close: () => aliases.close() };
}

function configuredProvider(
  entry: ConfiguredAgent,
  whatRuns: WhatRuns,
  aliases: SessionAliases,
  deps: ProviderDeps,
): CliProvider {
  if (entry.protocol === 'acp') return acpProvider(createConfiguredAgent(entry, deps.env, whatRuns), aliases, deps);
  const { cliType, label, command, args } = entry;
  const { config, host, log } = deps;
  return createEnvelopeProvider({
    cliType,
    label,
    command,
    args,
    env: { ...deps.env, ...entry.env },
    dataDir: config.dataDir,
    promptTimeoutMs: config.promptTimeoutMs,
    startTimeoutMs: config.startTimeoutMs,
    sleepAfterMs: config.sleepAfterMs,
    maxAwake: config.maxAwake,
    whatRuns,
    allowedIn: deps.allowedIn,
    host,
    log,
  });
}

function acpProvider(agent: AcpAgent, aliases: SessionAliases, deps: ProviderDeps): CliProvider {
  const { config, env, host, log, version } = deps;
  return createAcpProvider({
    agent,
    host,
    env,
    version,
    watches: deps.watches,
    clock: systemClock,
    decidePermission,
    allowedIn: deps.allowedIn,
    startTimeoutMs: config.startTimeoutMs,
    promptTimeoutMs: config.promptTimeoutMs,
    sleepAfterMs: config.sleepAfterMs,
    onProblem: (problem, error) => log.warn({ err: error, agent: agent.cliType }, problem),
    aliases,
  });
}
