import { type Config, UsageError } from './config.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { createProcessProbe } from './processes/index.ts';
import { addressesOf, type RunFile, readRunFile } from './security/run-file.ts';
import { loadToken, renewToken } from './security/token.ts';

const POLL_MS = 50;
const TAKEN_WITHIN_MS = 5_000;

const FIXED =
  'the token comes from LIMINAL_TOKEN. To change it, set the variable to another value and start the server again.';

/** `liminal-builder token`: prints the token of the data directory, or renews it. */
export async function runTokenCommand({ config, renew }: { config: Config; renew: boolean }): Promise<void> {
  const { dataDir } = config;
  await prepareDataDirectory(dataDir);
  const running = await runningServer(dataDir);
  const isFixed = config.token !== undefined || running?.fixedToken === true;
  if (!renew) {
    if (config.token === undefined && isFixed) throw new UsageError(`token: ${FIXED}`);
    process.stdout.write(`${config.token ?? (await loadToken(dataDir))}\n`);
    return;
  }
  if (isFixed) throw new UsageError(`token --renew: ${FIXED}`);
  await renewToken(dataDir);
  process.stdout.write('The token was renewed. Windows and scripts that used the old one have no access any more.\n');
  if (running === undefined) return;
  const renewed = await waitForRenewal(dataDir, running);
  if (renewed === undefined) {
    throw new UsageError('The running server has not taken the new token. Stop it, then start it again.');
  }
  const { printed, plain } = addressesOf(renewed);
  if (plain !== undefined) process.stdout.write(`If your browser cannot find the address below, open ${plain}\n`);
  process.stdout.write(`Liminal Builder is running at ${printed}\n`);
}

async function runningServer(dataDir: string): Promise<RunFile | undefined> {
  const run = await readRunFile(dataDir);
  return run !== undefined && createProcessProbe().isRunning(run) ? run : undefined;
}

/** The server writes a new file when it has taken the token. */
async function waitForRenewal(dataDir: string, before: RunFile): Promise<RunFile | undefined> {
  for (let waitedMs = 0; waitedMs < TAKEN_WITHIN_MS; waitedMs += POLL_MS) {
    const run = await readRunFile(dataDir);
    if (run !== undefined && !run.secret.equals(before.secret)) return run;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}
