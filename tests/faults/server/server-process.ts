import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { scratchDirectory } from '../../fixtures/scratch-directory.ts';

const program = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url));
const buildScript = new URL('../../../scripts/build-if-needed.mjs', import.meta.url);

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<ServerExit>;
  /** The address of the ready line. Rejects when the process ends before it. */
  ready(): Promise<string>;
}

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user's home; a scratch one where none is given. */
  readonly home?: string;
  /** With a shell between, as npm has one. */
  readonly byNpm?: boolean;
}

/** Call before the first test: the program is the one that users run. */
export function buildServer(): void {
  const build = `import { buildIfNeeded } from ${JSON.stringify(buildScript.href)}; buildIfNeeded();`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', build], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The server could not be built.');
}

/** The real program in a process of its own, with a home of its own and agents that are not there. */
export function runServer({
  args = [],
  env = {},
  home = scratchDirectory(),
  byNpm = false,
}: ServerOptions = {}): ServerProcess {
  const command = [process.execPath, program, ...args];
  const [first = '', ...rest] = byNpm ? ['/bin/sh', '-c', '"$@"; exit', 'sh', ...command] : command;
  const child = spawn(first, rest, {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      LIMINAL_OPEN: '0',
      LIMINAL_PORT: '0',
      CLAUDE_PATH: '/nowhere/claude',
      CODEX_ACP_CMD: '/nowhere/codex-acp',
      ...(byNpm && { npm_lifecycle_event: 'start' }),
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<ServerExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });

  return {
    child,
    exited,
    ready: () =>
      new Promise((resolve, reject) => {
        look = () => {
          const url = /^Liminal Builder is ready at (\S+)\n$/m.exec(stdout)?.[1];
          if (url !== undefined) resolve(url);
        };
        look();
        void exited.then((exit) => reject(new Error(`The server ended: ${JSON.stringify(exit)}`)));
      }),
  };
}
