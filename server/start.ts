import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { systemClock } from './clock.ts';
import { type Config, UsageError } from './config.ts';
import { prepareDataDirectory } from './data-directory.ts';
import type { Demo } from './demo/demo.ts';
import { createFolderWatches } from './folder-watches.ts';
import { openLog } from './log.ts';
import { describeLowLimit, systemOpenFiles, waitingShareOf } from './open-files.ts';
import { openStores } from './open-stores.ts';
import { packageRoot } from './package-root.ts';
import { createProcessHost, createProcessLedger, createProcessProbe, sweepProcesses } from './processes/index.ts';
import { registerProviders } from './register-providers.ts';
import { createCredentials } from './security/credentials.ts';
import { loadIdentity } from './security/identity.ts';
import { type Addresses, addressesOf, readRunFile, removeRunFile, writeRunFile } from './security/run-file.ts';
import { loadToken } from './security/token.ts';
import { watchToken } from './security/watch-token.ts';
import { isWeakToken } from './security/weak-token.ts';
import { acquireDataLock, waitForOwnerUrl } from './store/index.ts';

export interface RunningServer {
  readonly kind: 'running';
  readonly addresses: Addresses;
  readonly warnings: readonly string[];
  /** Stops everything the server started. */
  close(): Promise<void>;
  /** Kills all child processes at once, so that a pending `close` can finish. */
  abort(): void;
}

export type StartResult = RunningServer | { readonly kind: 'elsewhere'; readonly addresses: Addresses };

const WEAK_TOKEN =
  'LIMINAL_TOKEN is easy to guess. Whoever guesses it can run code as you. Use a random one, or none to get one.';

/** When to load the modules that starting an agent needs. Delayed, because serving the page comes first after a start. */
const PREPARE_AFTER_MS = 1_000;

/** Starts the server, or finds the one that already runs on this data directory. A demo uses a scratch directory. */
export async function startServer(config: Config, env: NodeJS.ProcessEnv, version: string): Promise<StartResult> {
  if (!config.demo) return start(config, env, version);
  const { createDemo } = await import('./demo/demo.ts');
  const demo = await createDemo();
  return start({ ...config, dataDir: demo.dataDir }, demo.env, version, demo);
}

async function start(config: Config, env: NodeJS.ProcessEnv, version: string, demo?: Demo): Promise<StartResult> {
  const { dataDir } = config;
  await prepareDataDirectory(dataDir);
  const probe = createProcessProbe();
  const locked = await acquireDataLock({ dataDir, probe });
  if (locked.kind === 'busy') {
    const url = await waitForOwnerUrl({ dataDir, probe });
    if (url === undefined) return start(config, env, version, demo);
    return { kind: 'elsewhere', addresses: await addressesElsewhere(dataDir, url) };
  }

  const shutdown = createShutdown();
  if (demo !== undefined) shutdown.add(demo.close);
  shutdown.add(() => locked.lock.release());
  try {
    const warnings: string[] = [];
    const token = config.token ?? (await loadToken(dataDir));
    const identity = await loadIdentity(dataDir, (message) => warnings.push(message));
    const credentials = createCredentials({ token, seed: identity.seed });
    const { log, close: closeLog } = await openLog(dataDir, credentials.secrets);
    shutdown.add(closeLog);
    for (const warning of warnings) log.warn(warning);
    const warn = (message: string) => {
      warnings.push(message);
      log.warn(message);
    };
    if (config.token !== undefined && isWeakToken(config.token)) warn(WEAK_TOKEN);

    const ledger = createProcessLedger(join(dataDir, 'processes'));
    const { swept, survivors } = await sweepProcesses({ ledger });
    if (swept.length > 0) log.info({ swept }, 'killed processes left by an earlier server');
    if (survivors.length > 0) warn(`Processes of an earlier run could not be killed: ${survivors.join(', ')}.`);
    const host = createProcessHost({ ledger, onLeftover: warn });
    shutdown.add(() => host.stopAll('shutdown'));

    const watches = createFolderWatches();
    shutdown.add(async () => watches.close());
    const stores = await openStores(dataDir, { warn, onError: (error) => log.error({ err: error }, 'not saved') });
    shutdown.add(stores.close);
    const { registry, close: closeProviders } = await registerProviders({
      config,
      env: withoutToken(env),
      host,
      log,
      version,
      watches,
      allowedIn: stores.projects.allowedIn,
      warn,
    });
    shutdown.add(closeProviders);
    const pagesDir = join(packageRoot(), 'dist', 'client');
    const hasPages = existsSync(pagesDir);
    if (!hasPages) warn('The pages are not built. Run: npm run build');

    const lowLimit = describeLowLimit(systemOpenFiles);
    if (lowLimit !== undefined) warn(lowLimit);

    const app = await buildApp({
      ...stores,
      limits: { maxWaiting: waitingShareOf(systemOpenFiles) },
      host: config.host,
      ...(config.ownName && { name: identity.name }),
      credentials,
      version,
      demo: config.demo,
      ...(hasPages ? { pagesDir } : {}),
      registry,
      clock: systemClock,
      watches,
      newId: randomUUID,
      log,
      keep: { dataDir, on: config.keep, limitBytes: config.keepLimitBytes },
    });
    shutdown.add(app.close);
    const listening = await app.listen(config.port).catch((error: NodeJS.ErrnoException) => {
      throw listenError(error, config);
    });
    const { url, plainUrl, secondTaken } = listening;
    if (secondTaken) warn(`Another program has the port of ${plainUrl} on [::1], so the page has no name of its own.`);
    const publish = async () => {
      const fixedToken = config.token !== undefined;
      await writeRunFile(dataDir, { ...probe.self, url, plainUrl, secret: credentials.run(), fixedToken });
    };
    await publish();
    shutdown.add(() => removeRunFile(dataDir));
    if (config.token === undefined) {
      const stopWatching = watchToken(dataDir, {
        onToken: async (next) => {
          if (credentials.isToken(next)) return;
          credentials.renew(next);
          log.info('the token was renewed');
          await publish();
        },
        onError: (error) => log.error({ err: error }, 'a renewed token may not be noticed'),
      });
      shutdown.add(async () => stopWatching());
    }
    await locked.lock.publish(url);
    log.info({ url, plainUrl, version }, 'ready');
    const preparing = setTimeout(() => {
      const inUse = new Set(stores.sessions.list().map(({ cliType }) => cliType));
      for (const provider of registry.list()) if (inUse.has(provider.cliType)) void provider.prepare();
    }, PREPARE_AFTER_MS);
    shutdown.add(async () => clearTimeout(preparing));
    demo?.prepare(app.runner, registry).catch((error: unknown) => log.error({ err: error }, 'demo not prepared'));
    return {
      kind: 'running',
      addresses: addressesOf({ url, plainUrl, secret: credentials.run() }),
      warnings,
      close: shutdown.run,
      abort: () => host.killAll('shutdown'),
    };
  } catch (error) {
    // The error that prevented the start is the one to report.
    await shutdown.run().catch(() => undefined);
    throw error;
  }
}

/** The first line of a lock by an older version has the token in it; then that is the address. */
async function addressesElsewhere(dataDir: string, url: string): Promise<Addresses> {
  const run = await readRunFile(dataDir);
  return run?.url === url ? addressesOf(run) : { printed: url, oneTime: url };
}

/** Our own settings, above all the token, are not passed to agents and their tools. */
function withoutToken({ LIMINAL_TOKEN: _ours, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

/** Closes in reverse order of opening. Goes on after a failure and throws it at the end. */
function createShutdown() {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    add(close: () => Promise<unknown>): void {
      closers.push(close);
    },
    async run(): Promise<void> {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        await close().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
    },
  };
}

function listenError(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE') {
    return new UsageError(
      `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`,
    );
  }
  return new UsageError(`Cannot listen on ${host}:${port} (${error.code}). Choose another --host or --port.`);
}
