import type { CanUseTool, Options, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { HostedProcess, ProcessExit, ProcessHost } from '../../../processes/index.ts';
import type { ClaudeQuery, ClaudeSdk, WarmClaude } from './claude-sdk.ts';
import { createInputQueue } from './input-queue.ts';
import type { NativeMessage } from '../live/native-messages.ts';
import type { Environment } from '../transcript/transcript-files.ts';

export interface ClaudeProcessOptions {
  readonly sdk: ClaudeSdk;
  readonly host: ProcessHost;
  readonly executable: string;
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Environment;
  /** A new conversation under an id of our choice, or one to go on with. */
  readonly conversation: { readonly sessionId: string } | { readonly resume: string };
  readonly label: string;
  readonly canUseTool: CanUseTool;
  /** Must not throw. */
  readonly onMessage: (message: NativeMessage) => void;
}

export interface ProcessEnding extends ProcessExit {
  /** What the SDK made of it, and the last words on stderr. */
  readonly words: string;
}

/** One subprocess, from its start to its end. */
export interface ClaudeProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** Settles when it can take messages without delay, or has ended. Never rejects. */
  readonly ready: Promise<void>;
  /** Settles when nothing is left of it and all it said was passed on. Never rejects. */
  readonly ended: Promise<ProcessEnding>;
  send(message: SDKUserMessage): void;
  /** Stops what is running and drops what is queued. Answers with the messages that were not dropped. */
  interrupt(): Promise<readonly string[]>;
  stop(reason: string): Promise<ProcessEnding>;
  kill(reason: string): Promise<ProcessEnding>;
}

/** Resolves as soon as the process runs; it is still getting ready then. Rejects, with nothing left, if it cannot. */
export async function startClaudeProcess(options: ClaudeProcessOptions): Promise<ClaudeProcess> {
  const { sdk, host, label, onMessage } = options;
  const input = createInputQueue<SDKUserMessage>();
  const { hosted, warm: warming } = await new Promise<{ hosted: HostedProcess; warm: Promise<WarmClaude> }>(
    (resolve, reject) => {
      const warm = sdk.startup({
        options: toSdkOptions(options, ({ command, args, cwd = options.cwd, env }) => {
          try {
            const hosted = host.spawn({ command, args, cwd, env, label });
            // Later, because the promise of the SDK is not there yet.
            queueMicrotask(() => resolve({ hosted, warm }));
            return hosted.child;
          } catch (error) {
            reject(error);
            throw error;
          }
        }),
      });
      warm.catch(reject);
    },
  );

  // The SDK goes on waiting for a process that runs but will never say anything again.
  hosted.child.stdout.once('end', () => void hosted.stop('output closed'));

  let query: ClaudeQuery | undefined;
  const ready = warming.then((warm) => {
    query = warm.query(input);
    return query;
  });

  /** The words of the SDK when the conversation broke off, empty when it came to its end. */
  async function converse(): Promise<string> {
    try {
      for await (const message of await ready) onMessage(message);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      // A process that is not listened to is of no use, whatever state it is in.
      void hosted.stop('conversation over');
    }
  }

  const conversation = converse();
  const ended = hosted.exited.then(async (exit) => {
    const words = [await conversation, hosted.stderrTail()].filter((text) => text !== '').join('\n');
    return { ...exit, words };
  });

  return {
    pid: hosted.pid,
    isRunning: () => hosted.child.exitCode === null && hosted.child.signalCode === null,
    ready: ready.then(
      () => {},
      () => {},
    ),
    ended,
    send: (message) => input.push(message),
    async interrupt() {
      const receipt = await query?.interrupt({ cancelQueued: true });
      return receipt?.still_queued ?? [];
    },
    async stop(reason) {
      input.end();
      await hosted.stop(reason);
      return ended;
    },
    async kill(reason) {
      input.end();
      await hosted.kill(reason);
      return ended;
    },
  };
}

/** As in the terminal: the user's and the project's settings, memory and rules, and the program's own prompt. */
function toSdkOptions(
  { executable, cwd, env, conversation, canUseTool }: ClaudeProcessOptions,
  spawnClaudeCodeProcess: NonNullable<Options['spawnClaudeCodeProcess']>,
): Options {
  return {
    ...conversation,
    cwd,
    env,
    pathToClaudeCodeExecutable: executable,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    includePartialMessages: true,
    forwardSubagentText: true,
    // Its questions cannot be answered here; without it Claude asks in its own words.
    disallowedTools: ['AskUserQuestion'],
    canUseTool,
    spawnClaudeCodeProcess,
  };
}
