import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isUsableToken } from './security/token.ts';

export interface Config {
  readonly port: number;
  readonly host: string;
  /** No host was asked for: the page gets a name of its own. */
  readonly ownName: boolean;
  readonly dataDir: string;
  /** Open a browser when ready. */
  readonly open: boolean;
  readonly demo: boolean;
  readonly token?: string;
  readonly claudePath?: string;
  readonly codexAcpCommand?: string;
  readonly startTimeoutMs: number;
  readonly promptTimeoutMs: number;
  /** A session idle for this long is put to sleep. */
  readonly sleepAfterMs: number;
  /** Beyond this many sessions with a process of their own, the least recently used idle one sleeps. */
  readonly maxAwake: number;
  /** Keep one warmed process for the next new session. */
  readonly spare: boolean;
  /** Copy the agents' transcripts. */
  readonly keep: boolean;
  readonly keepLimitBytes: number;
}

export type Invocation =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'token'; readonly config: Config; readonly renew: boolean }
  | { readonly kind: 'export' | 'import'; readonly config: Config; readonly file: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** An invalid flag or environment variable: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const helpText = `Usage: liminal-builder [options]
       liminal-builder token [--renew] [--data-dir <path>]
       liminal-builder export|import <file> [--data-dir <path>]

One local place for your AI coding sessions.

Commands
  token                print the access token of the data directory, for scripts
  token --renew        replace it: all windows and scripts lose access at once
  export <file>        write the data directory to one file, without secrets of this machine; stop the server before
  import <file>        make such a file the data directory, which must be new or empty; every file is checked

Options (each overrides its environment variable)
  --port <number>      port to listen on, 0 picks a free one   LIMINAL_PORT, default 3000
  --host <address>     address to listen on                    LIMINAL_HOST, default 127.0.0.1
  --data-dir <path>    where projects and sessions are kept    LIMINAL_DATA_DIR, default ~/.liminal-builder
  --no-open            do not open a browser                   LIMINAL_OPEN=0
  --demo               try it without an account: real agents, a scripted model, scratch data
  --help               show this text
  --version            show the version

Further environment variables
  LIMINAL_TOKEN            access token instead of a generated one, 16 to 512 letters, digits and . _ ~ -
  CLAUDE_PATH              Claude Code executable, default: the one inside its SDK package
  CODEX_ACP_CMD            Codex adapter command, default: the installed package, then codex-acp on PATH
  LIMINAL_START_TIMEOUT_MS how long an agent may take to start, default 15000 (ACP_START_TIMEOUT_MS is read too)
  ACP_PROMPT_TIMEOUT_MS    when a silent turn is given up, default 600000; never while a tool runs
  LIMINAL_SLEEP_AFTER_MS   when an idle session is put to sleep, default 900000
  LIMINAL_MAX_AWAKE        how many sessions of one agent may have a process of their own at once, default 8
  LIMINAL_SPARE=0          keep no warmed process for the next new session
  LIMINAL_KEEP=0           make no copies of the agents' transcripts; existing ones stay
  LIMINAL_KEEP_LIMIT_MB    how much room the copies may take, default 20480; nothing is deleted, copying stops
`;

/** Reads flags and environment variables. Throws a UsageError that names the invalid one. */
export function readInvocation(argv: readonly string[], env: NodeJS.ProcessEnv): Invocation {
  const { flags, command, file } = parseFlags(argv);
  if (flags.help) return { kind: 'help' };
  if (flags.version) return { kind: 'version' };
  const token = optional(env.LIMINAL_TOKEN);
  if (token !== undefined && !isUsableToken(token)) {
    throw new UsageError('LIMINAL_TOKEN: expected 16 to 512 characters, only letters, digits and . _ ~ -');
  }
  const claudePath = optional(env.CLAUDE_PATH);
  const codexAcpCommand = optional(env.CODEX_ACP_CMD);
  const number = (name: string, fallback: number, range: Range) =>
    wholeNumber(name, optional(env[name]), fallback, range);
  const askedHost = flags.host ?? optional(env.LIMINAL_HOST);
  const config: Config = {
    port:
      flags.port === undefined ? number('LIMINAL_PORT', 3000, PORTS) : wholeNumber('--port', flags.port, 3000, PORTS),
    host: host(flags.host, env.LIMINAL_HOST),
    ownName: askedHost === undefined,
    dataDir: dataDir(flags['data-dir'] ?? optional(env.LIMINAL_DATA_DIR) ?? '~/.liminal-builder'),
    open: !flags['no-open'] && isOn('LIMINAL_OPEN', env),
    demo: flags.demo ?? false,
    startTimeoutMs: number('LIMINAL_START_TIMEOUT_MS', number('ACP_START_TIMEOUT_MS', 15_000, TIMES), TIMES),
    promptTimeoutMs: number('ACP_PROMPT_TIMEOUT_MS', 600_000, TIMES),
    sleepAfterMs: number('LIMINAL_SLEEP_AFTER_MS', 900_000, TIMES),
    maxAwake: number('LIMINAL_MAX_AWAKE', 8, { min: 1, max: 1000 }),
    spare: isOn('LIMINAL_SPARE', env),
    keep: isOn('LIMINAL_KEEP', env),
    keepLimitBytes: number('LIMINAL_KEEP_LIMIT_MB', 20_480, { min: 1, max: 1_000_000_000 }) * 1024 * 1024,
    ...(token === undefined ? {} : { token }),
    ...(claudePath === undefined ? {} : { claudePath }),
    ...(codexAcpCommand === undefined ? {} : { codexAcpCommand }),
  };
  switch (command) {
    case 'run':
      return { kind: 'run', config };
    case 'token':
      return { kind: 'token', config, renew: flags.renew ?? false };
    case 'export':
    case 'import':
      return { kind: command, config, file: absolutePath(file) };
  }
}

function parseFlags(argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        'no-open': { type: 'boolean' },
        demo: { type: 'boolean' },
        renew: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
    return { flags: values, command: commandOf(positionals, values), file: positionals[1] ?? '' };
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new UsageError(`${reason} (see --help)`);
  }
}

const COMMANDS = {
  token: { takesFile: false, options: ['renew'] },
  export: { takesFile: true, options: [] },
  import: { takesFile: true, options: [] },
} as const;

/** The arguments of a command are only those that it uses. */
function commandOf(
  [command, file, ...more]: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): 'run' | keyof typeof COMMANDS {
  if (command === undefined && flags.renew) throw new Error("Option '--renew' belongs to the command 'token'");
  if (command === undefined) return 'run';
  if (!isCommand(command)) throw new Error(`Unexpected argument '${command}'`);
  const { takesFile, options } = COMMANDS[command];
  const used: readonly string[] = [...options, 'data-dir', 'help', 'version'];
  const other = Object.keys(flags).find((name) => !used.includes(name));
  if (other !== undefined) throw new Error(`Option '--${other}' does not belong to the command '${command}'`);
  const [unexpected] = takesFile ? more : [file, ...more];
  if (unexpected !== undefined) throw new Error(`Unexpected argument '${unexpected}'`);
  const needsFile = takesFile && !flags.help && !flags.version;
  if (needsFile && !isPath(file ?? '')) throw new Error(`The command '${command}' needs the name of a file`);
  return command;
}

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

interface Range {
  readonly min: number;
  readonly max: number;
}
const PORTS: Range = { min: 0, max: 65_535 };
const TIMES: Range = { min: 1, max: 2 ** 31 - 1 };

function wholeNumber(name: string, text: string | undefined, fallback: number, { min, max }: Range): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${name}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}

function host(flag: string | undefined, variable: string | undefined): string {
  const value = flag ?? optional(variable) ?? '127.0.0.1';
  if (/^[A-Za-z0-9.:_-]{1,253}$/.test(value)) return value;
  const name = flag === undefined ? 'LIMINAL_HOST' : '--host';
  throw new UsageError(`${name}: expected a host name or an IP address, got ${JSON.stringify(value)}`);
}

function dataDir(path: string): string {
  if (!isPath(path)) throw new UsageError('--data-dir: expected a directory path');
  return absolutePath(path);
}

function isPath(text: string): boolean {
  return text.trim() !== '' && !text.includes('\0');
}

function absolutePath(path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path;
  return isAbsolute(expanded) ? resolve(expanded) : resolve(process.cwd(), expanded);
}

/** On unless the variable is 0. */
function isOn(name: string, env: NodeJS.ProcessEnv): boolean {
  const value = optional(env[name]);
  if (value === undefined || value === '1') return true;
  if (value === '0') return false;
  throw new UsageError(`${name}: expected 0 or 1, got ${JSON.stringify(value)}`);
}

/** Treats an empty variable as unset. */
function optional(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
