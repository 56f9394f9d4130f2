import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CodexHome,
  createScratchHome,
  prepareCodexHome,
  type Rule,
  type ScriptedModel,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import { systemClock } from '../../../server/clock.ts';
import type { DecidePermission } from '../../../server/engine/permission.ts';
import type { AllowedIn } from '../../../server/engine/project-gate.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createProcessHost, createProcessLedger } from '../../../server/processes/index.ts';
import { createAcpProvider } from '../../../server/providers/acp/acp-provider.ts';
import type { AcpAgent } from '../../../server/providers/acp/agents/acp-agent.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { createMemoryAliases } from '../../../server/providers/acp/session/session-aliases.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { type SessionWatch, watchSession } from '../../support/agents/acp-rig.ts';

export interface CodexRig {
  readonly model: ScriptedModel;
  readonly projectDir: string;
  /** Where Codex keeps its settings and conversations. */
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string>>;
  /** The current provider. */
  provider(): CliProvider;
  /** A further provider with the same home and a process of its own, like another program. The test closes it. */
  another(): CliProvider;
  /** The adapter processes that were started, newest last. */
  readonly pids: readonly number[];
  /** What the agent sent that does not fit the protocol. Usually nothing. */
  readonly problems: readonly string[];
  open(): Promise<{ sessionId: string; watch: SessionWatch }>;
  /** Closes the provider, like a server that is stopped, and creates another in the same home. */
  restart(): Promise<void>;
  /** The conversations as Codex itself replays them, in a process of its own. */
  replays(sessionIds: readonly string[]): Promise<readonly (readonly UpsertObject[])[]>;
  /** Kills the agent first, because Codex takes two seconds to exit when its input ends. */
  close(): Promise<void>;
}

export interface CodexRigOptions extends Pick<CodexHome, 'streamRetries'> {
  readonly rules?: readonly Rule[];
  readonly env?: Readonly<Record<string, string>>;
  readonly decidePermission?: DecidePermission;
  readonly sleepAfterMs?: number;
  readonly allowedIn?: AllowedIn;
  /** Without a model configured and without an account. */
  readonly isSignedOut?: boolean;
}

/** The real Codex and the real provider with a scripted model. */
export async function startCodex(options: CodexRigOptions = {}): Promise<CodexRig> {
  const { rules = [], streamRetries = 0, isSignedOut = false } = options;
  const scratch = await createScratchHome();
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'liminal-test-')));
  const model = await startScriptedModel({ rules });
  const prepared = await prepareCodexHome({ baseUrl: model.url, home: scratch.home, streamRetries });
  if (isSignedOut) await rm(join(prepared.CODEX_HOME ?? '', 'config.toml'));
  const env = { ...prepared, ...options.env };
  const host = createProcessHost({ ledger: createProcessLedger(dataDir) });
  const aliases = createMemoryAliases();
  const pids: number[] = [];
  const problems: string[] = [];

  const start = (agent: AcpAgent = createCodexAgent({ env })) =>
    createAcpProvider({
      agent,
      host: {
        ...host,
        spawn(request) {
          const started = host.spawn(request);
          pids.push(started.pid);
          return started;
        },
      },
      env,
      clock: systemClock,
      decidePermission: options.decidePermission ?? (async () => ({ allow: true })),
      startTimeoutMs: 30_000,
      promptTimeoutMs: 600_000,
      ...(options.sleepAfterMs !== undefined && { sleepAfterMs: options.sleepAfterMs }),
      ...(options.allowedIn && { allowedIn: options.allowedIn }),
      version: '0.0.0-test',
      onProblem: (problem, error) => problems.push(`${problem} ${error ?? ''}`),
      aliases,
    });
  let provider = start();

  return {
    model,
    projectDir: scratch.projectDir,
    env,
    codexHome: join(scratch.home, '.codex'),
    provider: () => provider,
    another: () => start(),
    pids,
    problems,
    async open() {
      const { sessionId } = await provider.createSession({ projectDir: scratch.projectDir });
      return { sessionId, watch: watchSession(provider, sessionId) };
    },
    async restart() {
      await provider.close();
      provider = start();
    },
    async replays(sessionIds) {
      await provider.close();
      const { readHistory: _ours, ...withoutFiles } = createCodexAgent({ env });
      const replaying = start(withoutFiles);
      const loaded: UpsertObject[][] = [];
      for (const sessionId of sessionIds) {
        const { history } = await replaying.loadSession(sessionId, { projectDir: scratch.projectDir });
        loaded.push([...history]);
      }
      await replaying.close();
      provider = start();
      return loaded;
    },
    async close() {
      host.killAll('the tests are over');
      await provider.close();
      await model.close();
      await scratch.cleanup();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
