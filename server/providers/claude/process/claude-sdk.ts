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
  /** The types do not know the option. Programs that do not either list what they leave queued in their answer. */
  interrupt(options: {
    readonly cancelQueued: true;
  }): Promise<{ readonly still_queued: readonly string[] } | undefined>;
  /** Resolves also for tasks that ended or never were. */
  stopTask(taskId: string): Promise<void>;
}

export type LoadClaudeSdk = () => Promise<ClaudeSdk>;

/** On demand: loading it takes about as long as everything else the server does to start. */
export const loadClaudeSdk: LoadClaudeSdk = () => import('@anthropic-ai/claude-agent-sdk');
