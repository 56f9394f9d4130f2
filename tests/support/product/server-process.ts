import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainAddress } from './plain-address.ts';

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnedServer {
  readonly child: ChildProcess;
  readonly exited: Promise<ServerExit>;
  /** The address of the page in the ready line, with the token. Rejects when the process exits before printing it. */
  ready(): Promise<string>;
  /** What it has written to stderr so far. */
  stderr(): string;
}

/** A server that is ready. */
export interface ServerProcess {
  readonly pid: number;
  /** The plain address without a trailing slash: Node may be unable to resolve the page's name. */
  readonly origin: string;
  /** The printed address of the page. */
  readonly pageUrl: string;
  /** The token for scripts. Unlike the printed one it outlives a restart. */
  readonly token: string;
  /** From the spawn to the ready line. */
  readonly readyMs: number;
  readonly exited: Promise<ServerExit>;
  stderr(): string;
  /** Sends the signal and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<ServerExit>;
}

export interface ServerProcessOptions {
  /** The program and its first arguments, such as `['node', 'dist/server/main.js']`. */
  readonly command: readonly string[];
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Default: any free port. */
  readonly port?: number;
}

/** Resolves when the server is ready; rejects with its output when it exits before. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const startedAt = performance.now();
  const { child, exited, stderr, ready } = spawnServer(commandOf(options), { env: options.env });
  const pageUrl = await ready();
  const { origin, token } = plainAddress(pageUrl);
  return {
    origin,
    token: lastingToken(options) ?? token,
    pid: child.pid ?? 0,
    pageUrl,
    readyMs: performance.now() - startedAt,
    exited,
    stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Undefined for programs that stand in for the server in benchmarks. */
function lastingToken({ env, dataDir }: ServerProcessOptions): string | undefined {
  const path = join(dataDir, 'token');
  return env.LIMINAL_TOKEN ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined);
}

/** For a start that is expected to fail. */
export function runServerToEnd(options: ServerProcessOptions): Promise<ServerExit> {
  return spawnServer(commandOf(options), { env: options.env }).exited;
}

export function spawnServer(
  [program = '', ...args]: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): SpawnedServer {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });

  return {
    child,
    exited,
    stderr: () => output.stderr,
    ready: () =>
      new Promise((resolve, reject) => {
        const check = () => {
          const url = /^Liminal Builder is ready at (\S+)\n$/m.exec(output.stdout)?.[1];
          if (url === undefined) return;
          child.stdout.off('data', check);
          resolve(url);
        };
        child.stdout.on('data', check);
        child.once('error', reject);
        void exited.then((exit) => reject(new Error(`The server exited before it was ready: ${JSON.stringify(exit)}`)));
        check();
      }),
  };
}

function commandOf({ command, dataDir, port = 0 }: ServerProcessOptions): string[] {
  return [...command, '--port', String(port), '--data-dir', dataDir, '--no-open'];
}
