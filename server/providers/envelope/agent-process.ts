import {
  createLineReader,
  type HostedProcess,
  type ProcessExit,
  type ProcessHost,
  type SpawnRequest,
} from '../../processes/index.ts';

/** What the agent reads on its stdin, one JSON object a line. */
export type AgentInput =
  | { readonly turnId: string; readonly content: string }
  | { readonly turnId: string; readonly cancel: true };

export interface AgentProcess {
  /** It runs and nobody asked it to end. */
  isUsable(): boolean;
  send(input: AgentInput): void;
  /** Closes its stdin and gives it time to end. */
  stop(reason: string): Promise<ProcessExit>;
  kill(reason: string): Promise<ProcessExit>;
  /** Settles when its last line has been delivered and nothing of it is left. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  stderrTail(): string;
}

export interface AgentProcessOptions {
  readonly host: ProcessHost;
  readonly request: SpawnRequest;
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  readonly onOversizedLine: () => void;
}

/** Throws a SpawnError where the program cannot run. */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { host, request, maxLineBytes, onLine, onOversizedLine } = options;
  const hosted: HostedProcess = host.spawn(request);
  const { child } = hosted;
  const reader = createLineReader({ maxLineBytes, onLine, onOversized: onOversizedLine });
  child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
  child.stdout.once('end', () => reader.end());
  let isEnding = false;

  return {
    isUsable: () => !isEnding && child.exitCode === null && child.signalCode === null,
    send: (input) => {
      child.stdin.write(`${toLine(input)}\n`);
    },
    stop(reason) {
      isEnding = true;
      return hosted.stop(reason);
    },
    kill(reason) {
      isEnding = true;
      return hosted.kill(reason);
    },
    exited: hosted.exited,
    stderrTail: () => hosted.stderrTail(),
  };
}

/** JSON allows these inside a string, but some line readers split at them. */
function toLine(input: AgentInput): string {
  return JSON.stringify(input).replace(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
