import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type SpawnedServer, spawnServer } from '../../support/product/server-process.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const program = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url));
const buildScript = new URL('../../../scripts/build-if-needed.mjs', import.meta.url);

export interface RunServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The user's home directory; a scratch directory by default. */
  readonly home?: string;
  /** Puts a shell between, as npm does. */
  readonly byNpm?: boolean;
  /** How many file descriptors it may have. */
  readonly openFiles?: number;
}

/** Builds the program that users run. Call it before the first test. */
export function buildServer(): void {
  const build = `import { buildIfNeeded } from ${JSON.stringify(buildScript.href)}; buildIfNeeded();`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', build], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The server could not be built.');
}

/** Runs the built server with its own home directory and without agents. Killed when the test ends. */
export function runServer(options: RunServerOptions = {}): SpawnedServer {
  const { args = [], env = {}, home = scratchDirectory(), byNpm = false, openFiles } = options;
  const command = [process.execPath, program, ...args];
  const limited = `ulimit -n ${openFiles}; exec "$@"`;
  const script = byNpm ? '"$@"; exit' : openFiles === undefined ? undefined : limited;
  const server = spawnServer(script === undefined ? command : ['/bin/sh', '-c', script, 'sh', ...command], {
    cwd: home,
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
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}
