import type { CanUseTool, Options, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { Clock } from '../../../clock.ts';
import type { AgentProcess, ProcessEnd, SessionSink, SessionTarget } from '../../../engine/driver.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import type { HostedProcess, ProcessHost } from '../../../processes/index.ts';
import { createTimeSlices } from '../../../time-slice.ts';
import { withTimeout } from '../../../with-timeout.ts';
import type { Environment } from '../transcript/transcript-files.ts';
import { type ClaudeAccess, hasServerCheck } from './claude-access.ts';
import { describeCrash, explainCrash } from './claude-errors.ts';
import { type ClaudeLink, createClaudeLink } from './claude-link.ts';
import type { ClaudeQuery, ClaudeSdk, WarmClaude } from './claude-sdk.ts';
import { createInputQueue } from './input-queue.ts';

/** A new conversation with an id that we choose, or one to resume. */
export type ClaudeConversation = { readonly sessionId: string } | { readonly resume: string };

export interface ClaudeProcessOptions {
  readonly sdk: ClaudeSdk;
  readonly host: ProcessHost;
  readonly executable: string;
  /** The whole environment of the process. */
  readonly env: Environment;
  readonly conversation: ClaudeConversation;
  readonly target: SessionTarget;
  readonly mode: ClaudeAccess;
  readonly clock: Clock;
  /** Called when the process is given a message. */
  readonly onPrompt: (pid: number) => void;
  readonly onProblem: (message: string, error?: unknown) => void;
}

/** How long a process may take to end its work before it is ended itself. */
const END_WORK_TIMEOUT_MS = 1_000;

const CLOSED = 'The session was closed before the message went out. Send it again.';
const CANCELLED = 'The turn was cancelled before this was answered.';

/** Resolves as soon as the process runs, before it is ready. If it rejects, no process is left. */
export async function startClaudeProcess(
  options: ClaudeProcessOptions,
): Promise<AgentProcess & { readonly pid: number }> {
  const { target, clock } = options;
  const input = createInputQueue<SDKUserMessage>();
  let sink: SessionSink | undefined;
  let link: ClaudeLink | undefined;
  const { hosted, warming } = await spawn(options, async (toolName, toolInput, { title }) => {
    const decision = await sink?.ask({ toolName, input: toolInput, ...(title !== undefined && { title }) });
    if (decision?.allow) return { behavior: 'allow', updatedInput: toolInput };
    return { behavior: 'deny', message: decision?.reason ?? CANCELLED };
  });
  /** Set when the process is asked to end. */
  let stopReason: string | undefined;
  let sdkError = '';
  let reading: Promise<void> = Promise.resolve();

  // The SDK would wait for ever for a process that runs but has closed its output.
  hosted.child.stdout.once('end', () => void hosted.stop('output closed'));

  const warmed = warming.then(() => {}, fail);

  const ended = hosted.exited.then(async ({ code, signal }): Promise<ProcessEnd> => {
    await Promise.all([warmed, reading]);
    const lastWords = [sdkError, hosted.stderrTail()].filter((text) => text !== '').join('\n');
    const crash = { code, signal, lastWords };
    const refusal = stopReason === undefined ? explainCrash(crash) : new ProviderError('PROCESS_CRASH', CLOSED);
    return { isExpected: stopReason !== undefined, failure: describeCrash(crash), refusal };
  });

  /** A process that the SDK no longer reads from is useless. */
  function fail(error: unknown): void {
    sdkError = error instanceof Error ? error.message : String(error);
    void hosted.stop('conversation over');
  }

  async function read(query: ClaudeQuery, { receive, endOfMessages }: ClaudeLink): Promise<void> {
    const takeTurns = createTimeSlices();
    try {
      for await (const message of query) {
        const handled = receive(message);
        if (handled !== undefined) await handled;
        // The SDK passes on at once whatever it has read.
        await takeTurns();
      }
      void hosted.stop('conversation over');
    } catch (error) {
      fail(error);
    } finally {
      endOfMessages();
    }
  }

  async function stop(reason: string): Promise<void> {
    stopReason ??= reason;
    if (link !== undefined) {
      const worked = Promise.race([link.endWork(), hosted.exited]).catch(() => {});
      await withTimeout(clock, END_WORK_TIMEOUT_MS, worked);
    }
    input.end();
    await hosted.stop(reason);
    await ended;
  }

  async function kill(reason: string): Promise<void> {
    stopReason ??= reason;
    input.end();
    await hosted.kill(reason);
    await ended;
  }

  return {
    pid: hosted.pid,
    ready: warming.then(
      () => {},
      async () => {
        throw (await ended).refusal;
      },
    ),
    ended,
    isOpen: () => stopReason === undefined && hosted.child.exitCode === null && hosted.child.signalCode === null,
    stderrTail: () => hosted.stderrTail(),
    async open() {
      const warm = await warming;
      return {
        nativeId: target.nativeId,
        access: options.mode.access,
        attach(given) {
          sink = given;
          const query = warm.query(input);
          const onPrompt = () => options.onPrompt(hosted.pid);
          link = createClaudeLink({ query, input, sink, clock, stop, kill, onPrompt, onProblem: options.onProblem });
          reading = read(query, link);
          return link;
        },
      };
    },
    stop,
    kill,
  };
}

/** Resolves with the SDK's promise once the SDK has spawned the process. */
function spawn(
  options: ClaudeProcessOptions,
  canUseTool: CanUseTool,
): Promise<{ readonly hosted: HostedProcess; readonly warming: Promise<WarmClaude> }> {
  const { sdk, host, target } = options;
  return new Promise((resolve, reject) => {
    const spawnClaudeCodeProcess: Options['spawnClaudeCodeProcess'] = ({ command, args, cwd, env }) => {
      try {
        const label = `claude ${target.sessionId}`;
        const hosted = host.spawn({ command, args, cwd: cwd ?? target.projectDir, env, label });
        // In a microtask, because the SDK has not returned its promise yet.
        queueMicrotask(() => resolve({ hosted, warming }));
        return hosted.child;
      } catch (error) {
        reject(error);
        throw error;
      }
    };
    const warming = sdk.startup({ options: { ...toSdkOptions(options), canUseTool, spawnClaudeCodeProcess } });
    warming.catch(reject);
  });
}

/**
 * Claude Code deletes transcripts that are older than this. No file is, so a larger number in the user's own settings would
 * make no difference. It rejects 0, which older versions took as "write no transcripts".
 */
const CLEANUP_PERIOD_DAYS = 1_000_000;

/** Options as in a terminal: settings, memory and rules of the user and the project, and Claude Code's own prompt. */
function toSdkOptions({ executable, env, conversation, target, mode }: ClaudeProcessOptions): Options {
  const asksInPlanMode = mode.permissionMode === 'plan' && !hasServerCheck(env);
  return {
    ...conversation,
    cwd: target.projectDir,
    env,
    pathToClaudeCodeExecutable: executable,
    // Leaves out hooks, servers, skills, sub-agents and instructions of the project. The user's own stay.
    ...(target.withoutProjectSettings && { settingSources: ['user'] }),
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    permissionMode: mode.permissionMode,
    settings: { cleanupPeriodDays: CLEANUP_PERIOD_DAYS, ...(asksInPlanMode && { useAutoModeDuringPlan: false }) },
    includePartialMessages: true,
    forwardSubagentText: true,
    // Its questions cannot be answered here yet. Without the tool, Claude asks in the conversation.
    disallowedTools: ['AskUserQuestion'],
  };
}
