import { randomUUID } from 'node:crypto';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import type { Environment } from '../../../scripted-model/index.ts';
import { type AgentProcess, spawnAgent } from './processes.ts';

/** Yielded by the SDK, but missing in its types. */
const commandLifecycle = z.object({ type: z.literal('command_lifecycle'), command_uuid: z.string() });

export interface ClaudeSession {
  /** Leads its own process group. */
  readonly pid: () => number;
  readonly permissionsAsked: readonly string[];
  /** Resolves when Claude Code has the message; it may answer later. */
  send(text: string): Promise<void>;
  /** Reads messages until the running turn has ended. */
  finishTurn(): Promise<SDKResultMessage>;
  turn(text: string): Promise<SDKResultMessage>;
  /** Resolves when the process is gone. */
  close(): Promise<void>;
}

/** A real Claude Code, driven as by an application: one process, one stream of prompts. */
export async function openClaudeSession(
  cwd: string,
  env: Environment,
  start: { readonly resume?: string } = {},
): Promise<ClaudeSession> {
  const { query } = await import('@anthropic-ai/claude-agent-sdk');
  const prompts = new TransformStream<SDKUserMessage, SDKUserMessage>();
  const writer = prompts.writable.getWriter();
  const permissionsAsked: string[] = [];
  let agent: AgentProcess | undefined;

  const output = query({
    prompt: prompts.readable,
    options: {
      ...start,
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

  const readNext = async (): Promise<SDKMessage> => {
    const next = await output.next();
    if (next.done) throw new Error('Claude Code ended before its turn did.');
    return next.value;
  };

  const send = async (text: string) => {
    const uuid = randomUUID();
    void writer.write({ type: 'user', uuid, message: { role: 'user', content: text }, parent_tool_use_id: null });
    for (;;) {
      const lifecycle = commandLifecycle.safeParse(await readNext());
      if (lifecycle.data?.command_uuid === uuid) return;
    }
  };

  const finishTurn = async (): Promise<SDKResultMessage> => {
    for (;;) {
      const message = await readNext();
      if (message.type === 'result') return message;
    }
  };

  return {
    pid: () => agent?.pid ?? 0,
    permissionsAsked,
    send,
    finishTurn,
    async turn(text) {
      await send(text);
      return finishTurn();
    },
    async close() {
      await writer.close();
      output.close();
      await agent?.exited;
    },
  };
}
