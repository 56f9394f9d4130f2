import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { findProgram } from '../../find-program.ts';
import { createWriterLocks } from '../locks/writer-locks.ts';
import { createContextReader } from '../rollout/codex-context.ts';
import { readCodexHistory, readNewestTurns } from '../rollout/codex-history.ts';
import { forkRollout } from '../rollout/fork-rollout.ts';
import { createCodexListing } from '../rollout/listing.ts';
import { createCodexFiles } from '../rollout/native-files.ts';
import { createNewestTurns } from '../rollout/newest-turns.ts';
import { codexHome } from '../rollout/rollout-files.ts';
import { dialectOf } from '../translate/dialect.ts';
import type { AcpAgent, AgentCommand } from './acp-agent.ts';
import { readCodexAccess } from './codex-access.ts';
import { createCodexWhatRuns } from './codex-what-runs.ts';

const CLI_TYPE = 'codex';
const ADAPTER = '@agentclientprotocol/codex-acp';
/** Opening a closed session again takes 50 to 100 ms. */
const CLOSE_IDLE_AFTER_MS = 2_000;
const INSTALL_HINT = `Check that it's installed: npm install -g ${ADAPTER}`;

export interface CodexAgentOptions {
  readonly env: NodeJS.ProcessEnv;
  /** A command line to run instead of the installed adapter. */
  readonly command?: string | undefined;
  /** Where the search for packages begins. */
  readonly packagesFrom?: string | URL;
}

/** Codex through its adapter: the configured command, else the installed package, else `codex-acp` on the PATH. */
export function createCodexAgent({ env, command, packagesFrom = import.meta.url }: CodexAgentOptions): AcpAgent {
  const readContext = createContextReader(env);
  const findNewest = createNewestTurns();
  const subagents = createCodexFiles(env, (sessionId) => sessionId);
  const naming = { providerId: CLI_TYPE, dialect: dialectOf(ADAPTER) };
  return {
    cliType: CLI_TYPE,
    label: 'Codex',
    signInHint: 'Run "codex login" in a terminal, or set OPENAI_API_KEY, then try again.',
    env: { CODEX_CONFIG: withQuickUnload(env.CODEX_CONFIG) },
    closeIdleAfterMs: CLOSE_IDLE_AFTER_MS,
    whatRuns: createCodexWhatRuns(CLI_TYPE, env),
    locate() {
      if (command !== undefined) return locateCommand(splitCommandLine(command), env);
      const script = findAdapterScript(packagesFrom);
      if (script !== undefined) return { command: process.execPath, args: [script] };
      const onPath = findProgram('codex-acp', env.PATH);
      return onPath === undefined ? INSTALL_HINT : { command: onPath, args: [] };
    },
    readAccess: (projectDir) => readCodexAccess(env, projectDir),
    modeEnvironment: (modeId) => ({ INITIAL_AGENT_MODE: modeId }),
    readHistory({ home, ...request }) {
      const from = home === undefined ? env : { ...env, CODEX_HOME: home };
      return readCodexHistory({ ...request, ...naming, env: from });
    },
    readNewest: ({ home: _, ...request }) =>
      readNewestTurns({ ...request, ...naming, env, findNewest, subagentsOf: subagents.subagentsOf }),
    readContext: (request) => readContext({ ...request, cliType: CLI_TYPE }),
    fork: (request) => forkRollout({ ...request, env }),
    openHolders: (options) => createWriterLocks(codexHome(env), options),
    listing: createCodexListing(env),
    openFiles: (storedIdOf) => createCodexFiles(env, storedIdOf),
    // For clients like ours, `session/delete` of the adapter archives.
    leftByDelete: (storedId) =>
      `Codex keeps it in its archive: "codex delete ${storedId}" removes it there, "codex unarchive ${storedId}" brings it back.`,
  };
}

/**
 * Codex locks an open session, so that no terminal can open it. It keeps the lock for a minute after the session was closed
 * unless it is told otherwise. What the user has set wins.
 */
function withQuickUnload(chosen = '{}'): string {
  try {
    return JSON.stringify({ thread_unload_delay_secs: 0, ...JSON.parse(chosen) });
  } catch {
    return chosen;
  }
}

function locateCommand(asked: AgentCommand, env: NodeJS.ProcessEnv): AgentCommand | string {
  if (findProgram(asked.command, env.PATH) !== undefined) return asked;
  return `The command "${asked.command}" in CODEX_ACP_CMD was not found. ${INSTALL_HINT}`;
}

const packageSchema = z.object({ bin: z.record(z.string(), z.string()) });

/** Searches the file system instead of resolving: a package may hide its package.json behind its exports. */
function findAdapterScript(from: string | URL): string | undefined {
  for (const folder of createRequire(from).resolve.paths(ADAPTER) ?? []) {
    const manifest = join(folder, ADAPTER, 'package.json');
    if (!existsSync(manifest)) continue;
    const script = readBin(manifest);
    if (script !== undefined) return join(dirname(manifest), script);
  }
  return undefined;
}

/** A damaged package counts as missing. */
function readBin(manifest: string): string | undefined {
  try {
    return packageSchema.parse(JSON.parse(readFileSync(manifest, 'utf8'))).bin['codex-acp'];
  } catch {
    return undefined;
  }
}

/** Splits at blanks outside of quotes. Variables and wildcards are not expanded: this is not a shell. */
export function splitCommandLine(line: string): AgentCommand {
  const parts = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  const [command = '', ...args] = parts;
  return { command, args };
}
