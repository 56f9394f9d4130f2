import type { UUID } from 'node:crypto';
import type { SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { Link, SessionSink } from '../../../engine/driver.ts';
import { createMessageReader } from '../live/message-reader.ts';
import type { NativeMessage } from '../live/native-messages.ts';
import type { ClaudeQuery } from './claude-sdk.ts';
import type { InputQueue } from './input-queue.ts';

export interface ClaudeLink extends Link {
  receive(message: NativeMessage): void;
  /** Turns are open that Claude Code has not ended. */
  isBusy(): boolean;
}

export interface ClaudeLinkOptions {
  readonly query: ClaudeQuery;
  readonly input: InputQueue<SDKUserMessage>;
  readonly sink: SessionSink;
  readonly stop: (reason: string) => Promise<void>;
  readonly kill: (reason: string) => Promise<void>;
  readonly onProblem: (message: string, error?: unknown) => void;
}

export function createClaudeLink({ query, input, sink, stop, kill, onProblem }: ClaudeLinkOptions): ClaudeLink {
  const reader = createMessageReader(sink, onProblem);

  return {
    receive: reader.receive,
    isBusy: reader.isBusy,
    prompt(turnId, content) {
      reader.expectTurn(turnId);
      input.push(toUserMessage(turnId, content));
    },
    async interrupt() {
      const receipt = await query.interrupt({ cancelQueued: true });
      // A program that does not drop what is queued would go on with it.
      return (receipt?.still_queued ?? []).length === 0;
    },
    abandon: (_, reason) => kill(reason),
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
