import { z } from 'zod';
import { nativeIdSchema } from '../../../../shared/ids.ts';
import { describeProblems } from '../../../../shared/parse.ts';
import { type Usage, usageSchema } from '../../../../shared/stream-events.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { configOptionsSchema, modelOf } from '../translate/session-update.ts';

/** The agent's responses to our requests, validated and reduced to what is used here. */

/** A capability is offered by `true` or by an object, which may be empty. */
export const isOffered = (capability: unknown): boolean => capability != null && capability !== false;

const initializeSchema = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: z.string() }).nullish().catch(undefined),
  agentCapabilities: z
    .object({
      loadSession: z.unknown().optional(),
      sessionCapabilities: z
        .object({
          resume: z.unknown().optional(),
          close: z.unknown().optional(),
          delete: z.unknown().optional(),
          title: z.unknown().optional(),
          fork: z.unknown().optional(),
          list: z.unknown().optional(),
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type InitializeResponse = z.infer<typeof initializeSchema>;

const modelSources = {
  configOptions: configOptionsSchema.nullish().catch(undefined),
  /** Not part of the stable protocol; agents used it before there were config options. */
  models: z.object({ currentModelId: z.string() }).nullish().catch(undefined),
};
const openedSessionSchema = z.object(modelSources);
const newSessionSchema = z.object({ sessionId: nativeIdSchema, ...modelSources });

const pageSchema = z.object({ sessions: z.array(z.unknown()), nextCursor: z.string().nullish().catch(undefined) });
const listedSchema = z.object({
  sessionId: nativeIdSchema,
  cwd: z.string().max(4_096),
  title: z.string().nullish().catch(undefined),
  updatedAt: z.string().nullish().catch(undefined),
});
export type ListedSession = z.infer<typeof listedSchema>;

export interface SessionPage {
  /** What they are is not checked yet: there may be very many. */
  readonly sessions: readonly unknown[];
  readonly nextCursor: string | undefined;
}

const count = z.number().int().nonnegative();
const promptSchema = z.object({
  stopReason: z.string(),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedReadTokens: count.nullish().catch(undefined),
      cachedWriteTokens: count.nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

export interface PromptResponse {
  readonly stopReason: string;
  readonly usage?: Usage;
}

export const readInitializeResponse = (response: unknown): InitializeResponse =>
  read('initialize', initializeSchema, response);

export function readNewSession(response: unknown): { nativeId: string; modelId: string | undefined } {
  const { sessionId, ...sources } = read('session/new', newSessionSchema, response);
  return { nativeId: sessionId, modelId: modelOf(sources) };
}

/** The model of a session that was loaded or resumed. The response may be empty. */
export function readOpenedSession(response: unknown): { modelId: string | undefined } {
  return { modelId: modelOf(read('session/load', openedSessionSchema, response ?? {})) };
}

export function readPromptResponse(response: unknown): PromptResponse {
  const { stopReason, usage } = read('session/prompt', promptSchema, response);
  if (usage == null) return { stopReason };
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = usage;
  return {
    stopReason,
    usage: usageSchema.parse({
      inputTokens,
      outputTokens,
      ...(cachedReadTokens != null && { cacheReadInputTokens: cachedReadTokens }),
      ...(cachedWriteTokens != null && { cacheCreationInputTokens: cachedWriteTokens }),
    }),
  };
}

export function readSessionPage(response: unknown): SessionPage {
  const { sessions, nextCursor } = read('session/list', pageSchema, response);
  return { sessions, nextCursor: nextCursor || undefined };
}

/** Undefined for one that cannot be used. */
export function readListedSession(session: unknown): ListedSession | undefined {
  return listedSchema.safeParse(session).data;
}

function read<T>(method: string, schema: z.ZodType<T>, response: unknown): T {
  const result = schema.safeParse(response);
  if (result.success) return result.data;
  throw new ProviderError(
    'AGENT_PROTOCOL_ERROR',
    `The agent's answer to ${method} does not fit the protocol. ${describeProblems(result.error)}`,
  );
}
