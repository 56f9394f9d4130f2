import { join } from 'node:path';
import {
  claudeEnvironment,
  createScratchHome,
  type Rule,
  type ScriptedModel,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import type { CliProvider, ProviderStatus } from '../../../server/engine/provider-types.ts';
import { createProcessHost, createProcessLedger, type ProcessLedger } from '../../../server/processes/index.ts';
import { type ClaudeProviderDeps, createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { type FollowedSession, followSession } from '../../support/agents/follow-session.ts';

export interface Rig {
  readonly model: ScriptedModel;
  readonly projectDir: string;
  readonly provider: CliProvider;
  readonly ledger: ProcessLedger;
  readonly env: Readonly<Record<string, string>>;
  /** Another provider on the same home, as after a restart of the server. */
  another(options?: Partial<ClaudeProviderDeps>): CliProvider;
  /** A new session whose output is followed. */
  create(): Promise<FollowedSession>;
  /** Ends everything. Answers with what went wrong unseen and which processes are left, both best empty. */
  close(): Promise<{ readonly failures: readonly unknown[]; readonly left: readonly unknown[] }>;
}

/** Resolves at the next status of the session that is as wanted. */
export function nextStatus(
  provider: CliProvider,
  sessionId: string,
  wanted: ProviderStatus['status'],
): Promise<ProviderStatus> {
  return new Promise((resolve) => {
    const stop = provider.onStatus((status) => {
      if (status.sessionId !== sessionId || status.status !== wanted) return;
      stop();
      resolve(status);
    });
  });
}

/** A provider with the real Claude Code, the scripted model and a scratch home. */
export async function createRig(rules: readonly Rule[], options: Partial<ClaudeProviderDeps> = {}): Promise<Rig> {
  const model = await startScriptedModel({ rules });
  const scratch = await createScratchHome();
  const env = claudeEnvironment({ baseUrl: model.url, home: scratch.home });
  const ledger = createProcessLedger(join(scratch.home, 'ledger'));
  const failures: unknown[] = [];
  const providers: CliProvider[] = [];

  const another = (further: Partial<ClaudeProviderDeps> = {}) => {
    const provider = createClaudeProvider({
      host: createProcessHost({ ledger, onLeftover: (message) => failures.push(message) }),
      env,
      promptTimeoutMs: 60_000,
      spare: false,
      onProblem: (problem, error) => failures.push(error ?? problem),
      ...options,
      ...further,
    });
    providers.push(provider);
    return provider;
  };
  const provider = another();

  return {
    model,
    projectDir: scratch.projectDir,
    provider,
    ledger,
    env,
    another,
    async create() {
      const { sessionId } = await provider.createSession({ projectDir: scratch.projectDir });
      return followSession(provider, sessionId);
    },
    async close() {
      await Promise.all(providers.map((each) => each.close()));
      await model.close();
      const left = ledger.entries();
      await scratch.cleanup();
      return { failures, left };
    },
  };
}
