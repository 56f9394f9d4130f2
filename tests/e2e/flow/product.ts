import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  claudeEnvironment,
  createScratchHome,
  findAgents,
  prepareCodexHome,
  type Rule,
  type ScriptedModel,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import { processesWithHome } from '../../support/processes/with-home.ts';
import { type ServerProcess, startServerProcess } from '../../support/product/server-process.ts';

const MAIN = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url));

/** The product as a user runs it: the built server in its own process, real agents, a scripted model. */
export interface Product {
  readonly model: ScriptedModel;
  readonly projectDirs: readonly string[];
  /** The address, with the token. */
  readonly url: string;
  start(): Promise<void>;
  /** Sends SIGINT, as Ctrl-C does, and resolves to the exit code. */
  interrupt(): Promise<number | null>;
  killServer(): Promise<void>;
  /** Everything that runs in the scratch home except the server. */
  agentProcesses(): readonly { pid: number; command: string }[];
  close(): Promise<void>;
}

export async function createProduct(options: {
  rules: readonly Rule[];
  projects: readonly string[];
}): Promise<Product> {
  for (const agent of Object.values(findAgents())) if (!agent.installed) throw new Error(agent.reason);
  const model = await startScriptedModel({ rules: options.rules });
  const scratch = await createScratchHome();
  const agent = { baseUrl: model.url, home: scratch.home };
  const env = {
    ...claudeEnvironment(agent),
    ...(await prepareCodexHome(agent)),
    LIMINAL_TOKEN: 'a-token-for-the-flow',
  };
  const projectDirs = options.projects.map((name) => join(scratch.projectDir, name));
  for (const directory of projectDirs) await mkdir(directory);
  // The same port at every start, so that the page can reconnect.
  const port = await freePort();
  const dataDir = join(scratch.home, 'data');
  let server: ServerProcess | undefined;

  return {
    model,
    projectDirs,
    get url() {
      return server?.pageUrl ?? '';
    },
    async start() {
      server = await startServerProcess({ command: [process.execPath, MAIN], dataDir, env, port });
    },
    async interrupt() {
      return (await server?.stop('SIGINT'))?.code ?? null;
    },
    async killServer() {
      await server?.stop('SIGKILL');
    },
    agentProcesses: () => processesWithHome(scratch.home).filter(({ pid }) => pid !== server?.pid),
    async close() {
      await server?.stop();
      await model.close();
      await scratch.cleanup();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
