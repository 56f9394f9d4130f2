import { createServer } from 'node:http';
import { join } from 'node:path';
import {
  claudeEnvironment,
  createScratchHome,
  prepareCodexHome,
  type Rule,
  type ScriptedModel,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createProcessHost, createProcessLedger, type ProcessLedger } from '../../../server/processes/index.ts';
import { createAcpProvider } from '../../../server/providers/acp/acp-provider.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { createHostileRepository, type HostileRepository } from '../../support/agents/hostile-repository.ts';
import { openTestApp, type TestApp } from '../../support/server/test-app.ts';

export interface TrustScene {
  readonly app: TestApp<CliProvider>;
  readonly model: ScriptedModel;
  readonly home: string;
  readonly repository: HostileRepository;
  readonly ledger: ProcessLedger;
  addProject(): Promise<string>;
  trust(projectId: string, trusted: boolean): Promise<void>;
  create(projectId: string, cliType: string): Promise<string>;
  /** Sends a message and resolves when its turn has ended. */
  turn(sessionId: string, content: string): Promise<void>;
  close(): Promise<void>;
}

/** The server with both real agents, and a hostile repository. */
export async function startTrustScene(rules: readonly Rule[]): Promise<TrustScene> {
  const model = await startScriptedModel({ rules });
  const scratch = await createScratchHome();
  const agent = { baseUrl: model.url, home: scratch.home };
  const env = { ...claudeEnvironment(agent), ...(await prepareCodexHome(agent)) };
  const ledger = createProcessLedger(join(scratch.home, 'ledger'));
  const host = createProcessHost({ ledger });
  const engine = {
    host,
    env,
    allowedIn: (directory: string) => app.stores.projects.allowedIn(directory),
    startTimeoutMs: 30_000,
    promptTimeoutMs: 60_000,
    onProblem: () => {},
  };
  const app: TestApp<CliProvider> = await openTestApp<CliProvider>({
    providers: [
      createClaudeProvider(engine),
      createAcpProvider({ ...engine, agent: createCodexAgent({ env }), version: '0.0.0-test' }),
    ],
  });
  const repository = createHostileRepository(scratch.projectDir);
  const window = await app.connect();

  async function post(path: string, body: unknown): Promise<Record<string, string>> {
    const answer = await app.request('POST', path, { body });
    if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`);
    return JSON.parse(answer.text) as Record<string, string>;
  }

  return {
    app,
    model,
    home: scratch.home,
    repository,
    ledger,
    addProject: async () => (await app.stores.projects.addProject(repository.projectDir)).id,
    trust: async (projectId, trusted) => void (await post(`/api/project/${projectId}/trust`, { trusted })),
    create: async (projectId, cliType) => (await post('/api/session/create', { projectId, cliType })).sessionId ?? '',
    async turn(sessionId, content) {
      await window.ask('session:open', { sessionId });
      const { turnId } = await post(`/api/session/${encodeURIComponent(sessionId)}/send`, { content });
      await window.next(
        ({ type, payload }) =>
          type === 'session:turn' && payload?.turnId === turnId && /turn_(complete|error)/.test(payload?.type ?? ''),
      );
    },
    async close() {
      host.killAll('the test is over');
      await app.close();
      await model.close();
      await scratch.cleanup();
    },
  };
}

/** A server that is not the model, and what it was asked for. */
export async function startStranger() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(400).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { asked, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
