import type { HostedProcess, ProcessHost } from '../../../processes/index.ts';
import type { ReadTerminal } from '../translate/call-state.ts';
import { FileRefusal, type ProjectFiles } from './project-files.ts';

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_TERMINALS = 64;

export interface TerminalRequest {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly cwd?: string | null | undefined;
  readonly outputByteLimit?: number | null | undefined;
}

export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Programs that an agent runs here: without a shell, in the project directory, ended with the session. */
export interface Terminals {
  create(request: TerminalRequest): Promise<string>;
  output(id: string): { output: string; truncated: boolean; exitStatus?: TerminalExit };
  waitForExit(id: string): Promise<TerminalExit>;
  /** Ends the program. Its output can still be read. */
  kill(id: string): Promise<void>;
  /** Ends the program and forgets its id. */
  release(id: string): Promise<void>;
  /** For display, also after a release. */
  readonly read: ReadTerminal;
  /** Ends all programs. */
  close(): Promise<void>;
}

export interface TerminalsOptions {
  readonly host: ProcessHost;
  readonly files: ProjectFiles;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly newId: () => string;
  readonly label: string;
}

interface Terminal {
  readonly process: HostedProcess;
  readonly tail: OutputTail;
  readonly exited: Promise<TerminalExit>;
  exit: TerminalExit | undefined;
}

export function createTerminals(options: TerminalsOptions): Terminals {
  const { host, files, projectDir, newId } = options;
  const open = new Map<string, Terminal>();
  /** The output of released terminals, for calls that show it. The oldest are dropped first. */
  const released = new Map<string, ReturnType<ReadTerminal>>();
  /** Incremented when all programs are ended, so that one that is about to start does not. */
  let generation = 0;

  function find(id: string): Terminal {
    const terminal = open.get(id);
    if (terminal === undefined) throw new FileRefusal(`There is no terminal ${id}.`);
    return terminal;
  }

  function start(process: HostedProcess, maxBytes: number): Terminal {
    const tail = createOutputTail(maxBytes);
    process.child.stdin.end();
    for (const stream of [process.child.stdout, process.child.stderr]) stream.on('data', (chunk) => tail.push(chunk));
    const terminal: Terminal = {
      process,
      tail,
      exit: undefined,
      exited: process.exited.then(({ code, signal }) => {
        terminal.exit = { exitCode: code, signal };
        return terminal.exit;
      }),
    };
    return terminal;
  }

  const show = ({ tail, exit }: Terminal) => ({ output: tail.text(), exitCode: exit?.exitCode ?? undefined });

  return {
    async create({ command, args = [], env = [], cwd, outputByteLimit }) {
      const before = generation;
      const directory = await files.directory(cwd ?? projectDir);
      if (generation !== before) throw new FileRefusal('The session has ended.');
      if (open.size >= MAX_TERMINALS) throw new FileRefusal(`No more than ${MAX_TERMINALS} terminals can be open.`);
      const process = host.spawn({
        command,
        args,
        cwd: directory,
        env: { ...options.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
        label: options.label,
      });
      const id = newId();
      open.set(id, start(process, Math.min(outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES)));
      return id;
    },
    output(id) {
      const { tail, exit } = find(id);
      return { output: tail.text(), truncated: tail.isTruncated, ...(exit && { exitStatus: exit }) };
    },
    waitForExit: async (id) => find(id).exited,
    async kill(id) {
      const { process, exited } = find(id);
      process.kill('the agent ended it');
      await exited;
    },
    async release(id) {
      const terminal = find(id);
      open.delete(id);
      terminal.process.kill('the agent released it');
      await terminal.exited;
      released.set(id, show(terminal));
      const [oldest] = released.keys();
      if (oldest !== undefined && released.size > MAX_TERMINALS) released.delete(oldest);
    },
    read(id) {
      const terminal = open.get(id);
      return terminal === undefined ? released.get(id) : show(terminal);
    },
    async close() {
      generation += 1;
      const all = [...open.values()];
      open.clear();
      released.clear();
      await Promise.all(all.map(({ process }) => process.kill('its session ended')));
    },
  };
}

/** The last bytes of a program's output. */
interface OutputTail {
  push(chunk: Uint8Array): void;
  /** The beginning was dropped. */
  readonly isTruncated: boolean;
  /** Does not begin inside a character. */
  text(): string;
}

export function createOutputTail(maxBytes: number): OutputTail {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let isTruncated = false;

  /** Called at twice the limit, so that not every chunk copies everything. */
  const compact = () => {
    const all = Buffer.concat(chunks);
    const kept = all.subarray(Math.max(0, all.length - maxBytes));
    chunks = [Buffer.from(kept)];
    bytes = kept.length;
  };

  return {
    push(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) isTruncated = true;
      if (bytes > 2 * maxBytes) compact();
    },
    get isTruncated() {
      return isTruncated;
    },
    text() {
      compact();
      const [all] = chunks;
      if (all === undefined) return '';
      let start = 0;
      while (isTruncated && start < Math.min(3, all.length) && isContinuation(all[start])) start += 1;
      return Buffer.from(all).toString('utf8', start);
    },
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
