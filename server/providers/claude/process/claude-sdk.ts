import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';

/** The part of the SDK that is used here. */
export interface ClaudeSdk {
  /** Starts a process ahead of the first message. */
  startup(params: { options: Options }): Promise<WarmClaude>;
}

export interface WarmClaude {
  query(prompt: AsyncIterable<SDKUserMessage>): ClaudeQuery;
}

export interface ClaudeQuery extends AsyncIterable<SDKMessage> {
  /** The SDK's types do not declare the option. Programs that do not support it answer with what is still queued. */
  interrupt(options: {
    readonly cancelQueued: true;
  }): Promise<{ readonly still_queued: readonly string[] } | undefined>;
  /** Also resolves for tasks that have ended or never existed. */
  stopTask(taskId: string): Promise<void>;
}

export type LoadClaudeSdk = () => Promise<ClaudeSdk>;

/** Loaded on demand, because it takes about as long as the rest of the server's start. */
export const loadClaudeSdk: LoadClaudeSdk = () => import('@anthropic-ai/claude-agent-sdk');
