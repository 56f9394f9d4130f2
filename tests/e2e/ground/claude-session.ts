import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { Environment } from '../../../scripted-model/index.ts';
import { type AgentProcess, spawnAgent } from './processes.ts';

export interface ClaudeTurn {
  readonly messages: readonly SDKMessage[];
  readonly result: SDKResultMessage;
}

export interface ClaudeSession {
  /** Leads its own process group. */
  readonly pid: () => number;
  readonly permissionsAsked: readonly string[];
  turn(text: string): Promise<ClaudeTurn>;
  /** Resolves when the process is gone. */
  close(): Promise<void>;
}

/** A real Claude Code, driven as an application drives it: one process, one stream of prompts. */
export async function openClaudeSession(cwd: string, env: Environment): Promise<ClaudeSession> {
  const { query } = await import('@anthropic-ai/claude-agent-sdk');
  const prompts = new TransformStream<SDKUserMessage, SDKUserMessage>();
  const writer = prompts.writable.getWriter();
  const permissionsAsked: string[] = [];
  let agent: AgentProcess | undefined;

  const output = query({
    prompt: prompts.readable,
    options: {
      cwd,
      env: { ...env },
      includePartialMessages: true,
      permissionMode: 'default',
      canUseTool: async (tool, input) => {
        permissionsAsked.push(tool);
        return { behavior: 'allow', updatedInput: input };
      },
      spawnClaudeCodeProcess: ({ command, args, cwd: directory, env: variables }) => {
        agent = spawnAgent(command, args, { cwd: directory, env: variables });
        return agent.child;
      },
    },
  });

  return {
    pid: () => agent?.pid ?? 0,
    permissionsAsked,
    async turn(text) {
      void writer.write({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null });
      const messages: SDKMessage[] = [];
      for (;;) {
        const next = await output.next();
        if (next.done) throw new Error('Claude Code ended before its turn did.');
        messages.push(next.value);
        if (next.value.type === 'result') return { messages, result: next.value };
      }
    },
    async close() {
      await writer.close();
      output.close();
      await agent?.exited;
    },
  };
}
