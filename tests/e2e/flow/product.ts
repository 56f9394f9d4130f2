import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

const MAIN = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url));

/** The whole product as a user runs it: the built server in a process of its own, real agents, a scripted model. */
export interface Product {
  readonly model: ScriptedModel;
  readonly projectDirs: readonly string[];
  /** The address with the token. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends the server as Ctrl-C does and answers with its exit code. */
  interrupt(): Promise<number | null>;
  killServer(): Promise<void>;
  /** Everything that runs in the product's scratch home, the server left out. */
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
  // The same port at every start, so that the page finds its server again.
  const port = await freePort();
  const dataDir = join(scratch.home, 'data');
  let server: ChildProcess | undefined;
  let url = '';

  async function ended(): Promise<number | null> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return server?.exitCode ?? null;
    const [code] = await once(server, 'exit');
    return code;
  }

  return {
    model,
    projectDirs,
    get url() {
      return url;
    },
    async start() {
      const args = [MAIN, '--port', String(port), '--data-dir', dataDir, '--no-open'];
      const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      server = started;
      for await (const line of createInterface({ input: started.stdout })) {
        const ready = /ready at (\S+)$/.exec(line);
        if (ready === null) continue;
        url = ready[1] ?? '';
        return;
      }
      throw new Error('The server ended before it was ready.');
    },
    async interrupt() {
      server?.kill('SIGINT');
      return ended();
    },
    async killServer() {
      server?.kill('SIGKILL');
      await ended();
    },
    agentProcesses: () => processesWithHome(scratch.home).filter(({ pid }) => pid !== server?.pid),
    async close() {
      server?.kill('SIGTERM');
      await ended();
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

function processesWithHome(home: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readProc(name, 'environ').split('\0').includes(`HOME=${home}`))
    .map((name) => ({ pid: Number(name), command: readProc(name, 'cmdline').replaceAll('\0', ' ') }))
    .filter(({ command }) => command !== '');
}

/** Empty when the process is gone by now, or a zombie. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
