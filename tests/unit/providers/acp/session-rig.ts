import { type AcpSession, createAcpSession } from '../../../../server/providers/acp/acp-session.ts';
import type { PromptAnswer } from '../../../../server/providers/acp/agent-answers.ts';
import { dialectOf } from '../../../../server/providers/acp/dialect.ts';
import type { SessionUpdate } from '../../../../server/providers/acp/session-update.ts';
import { createStreamCore, LIVE_BATCHING } from '../../../../server/streaming/stream-core.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

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
export const threadStatus = (type: string): SessionUpdate => ({
  sessionUpdate: 'session_info_update',
  _meta: { codex: { threadStatus: { type } } },
});

/** A prompt that the agent has taken and not answered yet. */
export interface OpenPrompt {
  readonly content: string;
  answer(answer: PromptAnswer): Promise<void>;
  refuse(error: unknown): Promise<void>;
}

/** A session whose agent is the test. */
export function createSessionRig(dialect = CODEX_DIALECT, promptTimeoutMs = 600_000) {
  const clock = createManualClock();
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const prompts: OpenPrompt[] = [];
  let cancels = 0;
  let ids = 0;
  const session: AcpSession = createAcpSession({
    core: createStreamCore({
      sessionId: 'codex:s1',
      providerId: 'codex',
      clock,
      batching: LIVE_BATCHING,
      emitArgumentUpdates: true,
      onUpsert: (upsert) => upserts.push(upsert),
      onTurn: (event) => turns.push(event),
    }),
    clock,
    newTurnId: () => `own-${++ids}`,
    promptTimeoutMs,
    readTerminal: () => undefined,
    words: { label: 'Codex', signInHint: 'Sign in.' },
    wasUsed: false,
  });
  const link = {
    dialect,
    prompt: (content: string) =>
      new Promise<PromptAnswer>((resolve, reject) => {
        prompts.push({
          content,
          answer: async (answer) => {
            resolve(answer);
            await settled();
          },
          refuse: async (error) => {
            reject(error);
            await settled();
          },
        });
      }),
    cancel: () => {
      cancels += 1;
    },
  };
  session.attach(link, 'model-1');

  return {
    session,
    clock,
    upserts,
    turns,
    prompts,
    link,
    cancels: () => cancels,
    /** The prompt that came as the n-th, from 0. */
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

/** Lets everything run that follows from what just happened. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
