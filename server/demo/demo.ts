import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeEnvironment, prepareCodexHome, startScriptedModel } from '../../scripted-model/index.ts';
import type { CommandRunner } from '../commands/run-command.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import { writeDemoProject } from './demo-project.ts';
import { demoFallback, demoRules } from './demo-scenarios.ts';

/** Conversations that the demo starts with. The real agents hold them while the page opens. */
const prepared = [
  { cliType: 'claude-code', message: 'Fix the failing test' },
  { cliType: 'codex', message: 'Explain how the cart adds up' },
  { cliType: 'claude-code', message: 'Write the release notes' },
] as const;

export interface Demo {
  /** A scratch data directory; the user's own is not touched. */
  readonly dataDir: string;
  /** The environment of the agents: scratch homes, the scripted model, none of the user's settings. */
  readonly env: NodeJS.ProcessEnv;
  /** Adds the sample project and starts the prepared conversations. Skips agents that are not installed. */
  prepare(runner: CommandRunner, registry: ProviderRegistry): Promise<void>;
  close(): Promise<void>;
}

export async function createDemo(): Promise<Demo> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'liminal-demo-')));
  const model = await startScriptedModel({ rules: demoRules, fallback: demoFallback });
  const home = join(root, 'home');
  const projectDir = join(root, 'corner-shop');
  await mkdir(home);
  await writeDemoProject(projectDir);
  const agent = { baseUrl: model.url, home };

  return {
    dataDir: join(root, 'data'),
    env: {
      ...claudeEnvironment(agent),
      ...(await prepareCodexHome({ ...agent, streamRetries: 2, requestRetries: 4 })),
    },
    async prepare(runner, registry) {
      const { project } = await runner.run('project:add', { path: projectDir });
      const agents = await Promise.all(registry.list().map((provider) => provider.checkAvailability()));
      const available = new Set(agents.filter((found) => found.available).map((found) => found.cliType));
      for (const { cliType, message } of prepared) {
        if (!available.has(cliType)) continue;
        const { sessionId } = await runner.run('session:create', { cliType, projectId: project.id });
        await runner.run('session:send', { sessionId, content: message });
      }
    },
    async close() {
      await model.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
