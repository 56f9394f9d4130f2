import type { UUID } from 'node:crypto';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { Clock } from '../../../clock.ts';
import type { Link, SessionSink } from '../../../engine/driver.ts';
import { readOutputFile } from '../content/output-file.ts';
import { createMessageReader } from '../live/message-reader.ts';
import type { NativeMessage } from '../live/native-messages.ts';
import type { ClaudeQuery } from './claude-sdk.ts';
import type { InputQueue } from './input-queue.ts';
import { createTaskOutputs } from './task-outputs.ts';

export interface ClaudeLink extends Link {
  /** If it returns a promise, the next message must wait for it. */
  receive(message: NativeMessage): Promise<void> | undefined;
  /** To be called after the last message. */
  endOfMessages(): void;
  /** Ends open turns and background work. A busy process would finish them before it notices that its input ended. */
  endWork(): Promise<void>;
}

export interface ClaudeLinkOptions {
  readonly query: ClaudeQuery;
  readonly input: InputQueue<SDKUserMessage>;
  readonly sink: SessionSink;
  readonly clock: Clock;
  readonly stop: (reason: string) => Promise<void>;
  readonly kill: (reason: string) => Promise<void>;
  readonly onPrompt: () => void;
  readonly onProblem: (message: string, error?: unknown) => void;
}

export function createClaudeLink(options: ClaudeLinkOptions): ClaudeLink {
  const { query, input, sink, clock, stop, kill, onPrompt, onProblem } = options;
  const reader = createMessageReader(sink, onProblem);
  const outputs = createTaskOutputs({
    clock,
    read: readOutputFile,
    onOutput: (taskId, output) => reader.receive({ type: 'task_output', task_id: taskId, output }),
  });

  async function interrupt(): Promise<boolean> {
    const receipt = await query.interrupt({ cancelQueued: true });
    // An older program that keeps queued messages would go on with them.
    return (receipt?.still_queued ?? []).length === 0;
  }

  return {
    receive(message) {
      const lastOutput = outputs.observe(message);
      if (lastOutput !== undefined) return lastOutput.then(() => reader.receive(message));
      reader.receive(message);
      return undefined;
    },
    endOfMessages: () => outputs.stop(),
    async endWork() {
      const tasks = reader.backgroundTasks();
      // This also ends sub-agents. Unlike after stopTask, the agent does not start a turn about it.
      if (reader.isBusy() || tasks.length > 0) await interrupt();
      await Promise.all(tasks.map((taskId) => query.stopTask(taskId)));
    },
    prompt(turnId, content) {
      onPrompt();
      reader.expectTurn(turnId);
      input.push(toUserMessage(turnId, content));
    },
    interrupt,
    abandon: (_, reason) => kill(reason),
    stopTask: (taskId) => query.stopTask(taskId),
    close: (reason) => stop(reason),
  };
}

/** Marked as typed by a person, which Claude Code trusts more than what a program sends. */
function toUserMessage(turnId: string, content: string): SDKUserMessage {
  return {
    type: 'user',
    uuid: turnId as UUID,
    message: { role: 'user', content },
    parent_tool_use_id: null,
    origin: { kind: 'human' },
  };
}
