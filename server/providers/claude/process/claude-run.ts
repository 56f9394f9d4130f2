import type { UUID } from 'node:crypto';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { type SilenceWatch, startSilenceWatch } from '../../../engine/silence-watch.ts';
import { describeCrash, explainCrash, TURN_TIMEOUT } from './claude-errors.ts';
import { type ClaudeProcessOptions, type ProcessEnding, startClaudeProcess } from './claude-process.ts';
import type { NativeMessage } from '../live/native-messages.ts';
import { createSessionStream, type SessionStreamOptions } from '../live/session-stream.ts';
import { within } from './within.ts';

/** How long a turn may take to end after it was interrupted. */
const CANCEL_GRACE_MS = 5_000;
/** How long a process that is to end anyway may take to let go of its work. */
const LET_GO_MS = 1_000;

const CLOSED = 'The session was closed before the message went out. Send it again.';
const SILENT = 'Claude Code was silent for too long and was ended. Send the message again.';

export interface ClaudeRunOptions {
  readonly process: Omit<ClaudeProcessOptions, 'onMessage'>;
  readonly stream: SessionStreamOptions;
  readonly promptTimeoutMs: number;
  /** A message went out, or a turn ended. */
  readonly onUse: () => void;
  /** Told of what could not be understood. */
  readonly onFailure: (error: unknown) => void;
}

export interface RunEnding extends ProcessEnding {
  /** Set when the process was not asked to end. */
  readonly crash?: string;
}

/** A process together with the conversation it holds. It ends for good; a session that goes on starts another. */
export interface ClaudeRun {
  readonly pid: number;
  /** Takes messages: it runs and was not asked to end. */
  isOpen(): boolean;
  readonly ready: Promise<void>;
  /** Never rejects. By then every turn has ended. */
  readonly ended: Promise<RunEnding>;
  /** Resolves when the message is bound to its turn. */
  send(turnId: string, content: string): Promise<void>;
  /** Ends every turn that is open or on its way as cancelled. */
  cancel(): Promise<void>;
  /** No turn is open and nothing works in the background. */
  isIdle(): boolean;
  /** Open turns end as `how` says, then the process. */
  stop(reason: string, how: 'cancelled' | { readonly code: string; readonly message: string }): Promise<void>;
}

export async function startClaudeRun(options: ClaudeRunOptions): Promise<ClaudeRun> {
  const { promptTimeoutMs, onUse, onFailure } = options;
  const { clock } = options.stream;
  const stream = createSessionStream(options.stream);
  const unbound = new Set<Promise<void>>();
  let backgroundTasks = 0;
  let isCleared = false;
  let watch: SilenceWatch | undefined;
  /** What to tell whoever waits for a message to be taken, once the process was asked to end. */
  let farewell: string | undefined;
  let hasEnded = false;

  const subprocess = await startClaudeProcess({ ...options.process, onMessage: receive });

  const watchOptions = { clock, limitMs: promptTimeoutMs, isExcused: stream.isToolRunning, onSilence: giveUp };

  function receive(message: NativeMessage): void {
    watch?.touch();
    try {
      stream.receive(message);
    } catch (error) {
      onFailure(error);
    }
    if (message.type === 'system' && message.subtype === 'background_tasks_changed') {
      backgroundTasks = message.tasks.filter((task) => task.ambient !== true).length;
    }
    if (message.type === 'conversation_reset') isCleared = true;
    if (message.type === 'result') afterResult();
    watchSilence();
  }

  function afterResult(): void {
    onUse();
    // What follows in this process would belong to another conversation.
    if (isCleared) void stop('conversation cleared', 'cancelled');
  }

  function watchSilence(): void {
    const isWaiting = stream.openTurns().length + stream.expectedTurns().length > 0;
    if (!isWaiting) watch?.stop();
    watch = isWaiting ? (watch ?? startSilenceWatch(watchOptions)) : undefined;
  }

  function giveUp(): void {
    for (const turnId of stream.openTurns()) stream.endTurn({ do: 'turn_error', turnId, ...TURN_TIMEOUT });
    farewell ??= SILENT;
    void subprocess.kill('silent for too long');
  }

  async function stop(reason: string, how: Parameters<ClaudeRun['stop']>[1]): Promise<void> {
    farewell ??= CLOSED;
    const open = stream.openTurns();
    for (const turnId of open) {
      if (how === 'cancelled') stream.endTurn({ do: 'turn_done', turnId, status: 'cancelled' });
      else stream.endTurn({ do: 'turn_error', turnId, ...how });
    }
    // A process that is busy would finish its work before it sees that its input was closed.
    if (open.length > 0)
      await within(clock, LET_GO_MS, Promise.race([subprocess.interrupt(), subprocess.ended])).catch(() => {});
    await subprocess.stop(reason);
  }

  const ended = subprocess.ended.then((ending): RunEnding => {
    hasEnded = true;
    watch?.stop();
    const crash = describeCrash(ending);
    const refusal = farewell === undefined ? explainCrash(ending) : new ProviderError('PROCESS_CRASH', farewell);
    stream.end(crash, refusal);
    return farewell === undefined ? { ...ending, crash: refusal.message } : ending;
  });

  /** An interruption that overtakes its message stops nothing, so messages on their way are waited for. */
  async function interrupt(): Promise<void> {
    await within(clock, CANCEL_GRACE_MS, Promise.allSettled(unbound));
    const left = await within(clock, CANCEL_GRACE_MS, subprocess.interrupt());
    // A program that does not drop what is queued would go on with it.
    if (left === undefined || left.length > 0) await stop('could not be interrupted', 'cancelled');
  }

  return {
    pid: subprocess.pid,
    isOpen: () => farewell === undefined && subprocess.isRunning(),
    ready: subprocess.ready,
    ended,
    async send(turnId, content) {
      const bound = stream.expectTurn(turnId, content);
      unbound.add(bound);
      subprocess.send(toUserMessage(turnId, content));
      watchSilence();
      onUse();
      await bound.finally(() => unbound.delete(bound));
    },
    async cancel() {
      const turnIds = [...stream.openTurns(), ...stream.expectedTurns()];
      if (turnIds.length === 0) return;
      try {
        await interrupt();
      } catch (error) {
        if (!hasEnded) throw new ProviderError('INTERRUPT_FAILED', undefined, { cause: error });
      }
      await within(clock, CANCEL_GRACE_MS, stream.whenEnded(turnIds));
      if (stream.openTurns().some((turnId) => turnIds.includes(turnId))) await stop('did not stop', 'cancelled');
    },
    isIdle: () => stream.openTurns().length + stream.expectedTurns().length + backgroundTasks === 0,
    stop,
  };
}

/** Typed by a person, which Claude Code trusts more than what a program sends. */
function toUserMessage(turnId: string, content: string): SDKUserMessage {
  return {
    type: 'user',
    uuid: turnId as UUID,
    message: { role: 'user', content },
    parent_tool_use_id: null,
    origin: { kind: 'human' },
  };
}
