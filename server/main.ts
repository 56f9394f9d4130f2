import packageJson from '../package.json' with { type: 'json' };
import { AppError } from '../shared/errors.ts';
import { helpText, type Invocation, readInvocation, UsageError } from './config.ts';
import { openBrowser } from './open-browser.ts';
import { UnsafeFileError } from './private-files.ts';
import { type RunningServer, startServer } from './start.ts';
import { runTokenCommand } from './token-command.ts';

/** A shutdown takes at most six seconds. Children that do not exit are killed early enough to clean up after them. */
const KILL_AFTER_MS = 4_500;
const SHUTDOWN_LIMIT_MS = 5_800;
const PARENT_CHECK_MS = 500;
const parent = process.ppid;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

async function main(): Promise<void> {
  const invocation = readInvocation(process.argv.slice(2), process.env);
  if (invocation.kind === 'help') return void process.stdout.write(helpText);
  if (invocation.kind === 'version') return void process.stdout.write(`${packageJson.version}\n`);
  switch (invocation.kind) {
    case 'token':
      return runTokenCommand(invocation);
    case 'export':
    case 'import':
      return (await import('./archive-command.ts')).runArchiveCommand(invocation);
    case 'run':
      return run(invocation);
  }
}

async function run({ config }: Extract<Invocation, { kind: 'run' }>): Promise<void> {
  if (!LOOPBACK.has(config.host)) {
    process.stderr.write(
      `Warning: ${config.host} may be reached from other machines. Whoever has the token can run code as you.\n`,
    );
  }
  const result = await startServer(config, process.env, packageJson.version);
  if (result.kind === 'running') {
    for (const warning of result.warnings) process.stderr.write(`Warning: ${warning}\n`);
    stopOnSignals(result);
  }
  const { printed, plain, oneTime } = result.addresses;
  if (plain !== undefined) process.stdout.write(`If your browser cannot find the address below, open ${plain}\n`);
  const state = result.kind === 'running' ? 'ready' : 'already running';
  process.stdout.write(`Liminal Builder is ${state} at ${printed}\n`);
  if (config.open) openBrowser(oneTime);
}

function stopOnSignals(server: RunningServer): void {
  let stopping = false;
  const stop = async (exitCode: number) => {
    if (stopping) return;
    stopping = true;
    const killTimer = setTimeout(() => server.abort(), KILL_AFTER_MS);
    const exitTimer = setTimeout(() => {
      server.abort();
      process.exit(1);
    }, SHUTDOWN_LIMIT_MS);
    await server.close().catch((error: unknown) => fail(error));
    clearTimeout(killTimer);
    clearTimeout(exitTimer);
    process.exit(process.exitCode ?? exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  if (process.env.npm_lifecycle_event !== undefined) onParentGone(() => void stop(0));
  process.on('uncaughtException', (error) => {
    fail(error);
    void stop(1);
  });
}

/** npm sends signals to the shell that it put in between, and the shell exits without forwarding them. */
function onParentGone(callback: () => void): void {
  setInterval(() => {
    if (process.ppid !== parent) callback();
  }, PARENT_CHECK_MS).unref();
}

/** Expected errors are one line; unexpected ones are printed with their stack. */
function fail(error: unknown): void {
  const isKnown = error instanceof UsageError || error instanceof AppError;
  const text = isKnown ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`liminal-builder: ${text}\n`);
  process.exitCode = error instanceof UsageError || error instanceof UnsafeFileError ? 2 : 1;
}

main().catch(fail);
