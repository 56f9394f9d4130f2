import { createDeferred } from '../../../../server/deferred.ts';
import type { PermissionDecision } from '../../../../server/engine/permission.ts';
import type { PromptResponse } from '../../../../server/providers/acp/connection/agent-responses.ts';
import { dialectOf } from '../../../../server/providers/acp/translate/dialect.ts';
import type { SessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { openTestSession } from './test-session.ts';

export const CODEX_DIALECT = dialectOf('@agentclientprotocol/codex-acp');
export const COMMON_DIALECT = dialectOf(undefined);

export const chunk = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: text,
  messageId,
});
export const thought = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'agent_thought_chunk',
  content: text,
  messageId,
});
export const tool = (toolCallId: string, fields: object = {}): SessionUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'A tool',
  status: 'in_progress',
  ...fields,
});
export const toolUpdate = (toolCallId: string, fields: object): SessionUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});
export const subagent = (sessionId: string, fields: object): SessionUpdate => ({
  sessionUpdate: 'subagent_update',
  sessionId,
  ...fields,
});
export const threadStatus = (type: string): SessionUpdate => ({
  sessionUpdate: 'session_info_update',
  _meta: { codex: { threadStatus: { type } } },
});

/** A prompt that the agent has not answered yet. */
export interface OpenPrompt {
  readonly content: string;
  answer(answer: PromptResponse): Promise<void>;
  refuse(error: unknown): Promise<void>;
}

export type SessionRig = Awaited<ReturnType<typeof createSessionRig>>;

/** A session in which the test plays the agent. */
export async function createSessionRig(dialect = CODEX_DIALECT, promptTimeoutMs = 600_000) {
  const clock = createManualClock();
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const prompts: OpenPrompt[] = [];
  const decision = createDeferred<PermissionDecision>();
  let cancels = 0;
  const cancelled: string[] = [];
  const stoppedTasks: string[] = [];
  const endedCommands: string[] = [];
  let ids = 0;
  const { provider, sessionId, session, end } = await openTestSession({
    nativeId: 's1',
    dialect,
    modelId: 'model-1',
    naming: { label: 'Codex', signInHint: 'Sign in.' },
    clock,
    newId: () => `own-${++ids}`,
    promptTimeoutMs,
    decidePermission: () => decision.promise,
    prompt(content) {
      const { promise, resolve, reject } = createDeferred<PromptResponse>();
      prompts.push({
        content,
        async answer(answer) {
          resolve(answer);
          await settled();
        },
        async refuse(error) {
          reject(error);
          await settled();
        },
      });
      return promise;
    },
    cancel: (nativeId) => {
      cancels += 1;
      cancelled.push(nativeId);
    },
    stopTask: (taskId) => stoppedTasks.push(taskId),
    endProcesses: (callId) => endedCommands.push(callId) > 0,
  });
  provider.onUpsert(sessionId, (upsert) => upserts.push(upsert));
  provider.onTurn(sessionId, (event) => turns.push(event));

  return {
    clock,
    upserts,
    turns,
    prompts,
    cancels: () => cancels,
    /** The sessions that were cancelled, and what else was stopped. */
    cancelled,
    stoppedTasks,
    endedCommands,
    stop: (itemId?: string) => provider.stopBackground(sessionId, itemId),
    receive: session.receive,
    /** The agent asks for permission. */
    ask: () => session.ask({ toolName: 'execute', input: {} }),
    decide: decision.resolve,
    send: (turnId: string, content: string) => void provider.sendMessage(sessionId, content, { turnId }),
    cancel: () => provider.cancelTurn(sessionId),
    isAlive: () => provider.isAlive(sessionId),
    async end(failure: { code: string; message: string }) {
      end(failure);
      await settled();
    },
    /** The n-th prompt, from 0. */
    prompt(index: number): OpenPrompt {
      const prompt = prompts[index];
      if (prompt === undefined) throw new Error(`There is no prompt ${index}.`);
      return prompt;
    },
    /** The last state of each item, as [itemId, type, status, content or output]. */
    screen: () =>
      [...new Map(upserts.map((upsert) => [upsert.itemId, upsert])).values()].map((upsert) => [
        upsert.itemId,
        upsert.type === 'message' ? upsert.origin : upsert.type,
        upsert.status,
        upsert.type === 'tool_call' ? (upsert.toolOutput ?? '') : upsert.content,
      ]),
  };
}

/** Resolves when all pending promise callbacks have run. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
