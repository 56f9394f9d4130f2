import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from '../../scripts/build-if-needed.mjs';
import { type ServerProcess, startServerProcess } from '../../tests/support/product/server-process.ts';

const SERVER = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
const AGENT = fileURLToPath(new URL('token-agent.mjs', import.meta.url));
const DISK_MIB = 64;

/** The environment of a soak: the server's data on its own disk, a project, and the agents' own records. */
export interface Scene {
  readonly dataDir: string;
  readonly projectDir: string;
  readonly truthDir: string;
  /** The start of the tokens' time scale, in milliseconds since the epoch. */
  readonly epoch: number;
  /** How the server runs the agents, for running one without it. */
  readonly agent: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Starts a server on this data. */
  start(): Promise<ServerProcess>;
  /** Stops everything and removes all files. */
  remove(): Promise<void>;
}

export interface SceneOptions {
  readonly tokensPerSecond: number;
  readonly tokensPerMessage: number;
  /** Puts the data directory on a small disk that can be filled. Needs the right to mount. */
  readonly withFaults: boolean;
}

export function prepareScene({ tokensPerSecond, tokensPerMessage, withFaults }: SceneOptions): Scene {
  buildIfNeeded();
  const epoch = Date.now();
  const root = mkdtempSync(join(tmpdir(), 'liminal-soak-'));
  const [dataDir, projectDir, truthDir] = ['data', 'project', 'truth'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [dataDir, projectDir, truthDir]) mkdirSync(directory);
  if (withFaults) run('mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=700`, 'tmpfs', dataDir);
  const agent = {
    cliType: 'soak',
    label: 'Soak',
    command: process.execPath,
    args: [AGENT],
    env: {
      SOAK_EPOCH: String(epoch),
      SOAK_RATE: String(tokensPerSecond),
      SOAK_TOKENS: String(tokensPerMessage),
      SOAK_TRUTH: truthDir,
    },
    protocol: 'envelope',
  };
  writeFileSync(join(dataDir, 'agents.json'), JSON.stringify({ version: 1, agents: [agent] }));

  const servers: ServerProcess[] = [];
  return {
    dataDir,
    projectDir,
    truthDir,
    epoch,
    agent: { ...agent, env: { ...agent.env, SOAK_TRUTH: join(root, 'control') } },
    async start() {
      const env = { ...process.env, HOME: root };
      const server = await startServerProcess({ command: [process.execPath, SERVER], dataDir, env });
      servers.push(server);
      return server;
    },
    async remove() {
      await Promise.all(servers.map((server) => server.stop()));
      if (withFaults) run('umount', dataDir);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(
    `${command} failed (${stderr.trim()}). A soak with faults fills a disk and needs the right to mount.`,
  );
}
