import { z } from 'zod';
import { nativeIdSchema } from '../../../../shared/ids.ts';
import { describeProblems } from '../../../../shared/parse.ts';
import { type Usage, usageSchema } from '../../../../shared/stream-events.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { configOptionsSchema } from '../translate/session-update.ts';

/** The border to the agent: its answers to our requests, cut down to what is used here. */

/** Offered with `true` or an object, however empty. */
export const isOffered = (capability: unknown): boolean => capability != null && capability !== false;

const initializeSchema = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: z.string() }).nullish().catch(undefined),
  agentCapabilities: z
    .object({
      loadSession: z.unknown().optional(),
      sessionCapabilities: z
        .object({ resume: z.unknown().optional(), close: z.unknown().optional() })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});
export type InitializeAnswer = z.infer<typeof initializeSchema>;

const modelSources = {
  configOptions: configOptionsSchema.nullish().catch(undefined),
  /** Not part of the stable protocol, but what agents had before it. */
  models: z.object({ currentModelId: z.string() }).nullish().catch(undefined),
};
const openedSessionSchema = z.object(modelSources);
const newSessionSchema = z.object({ sessionId: nativeIdSchema, ...modelSources });

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

export interface PromptAnswer {
  readonly stopReason: string;
  readonly usage?: Usage;
}

export const readInitializeAnswer = (answer: unknown): InitializeAnswer => read('initialize', initializeSchema, answer);

export function readNewSession(answer: unknown): { nativeId: string; modelId: string | undefined } {
  const { sessionId, ...sources } = read('session/new', newSessionSchema, answer);
  return { nativeId: sessionId, modelId: modelOf(sources) };
}

/** The model of a session that was loaded or resumed. Agents may answer with nothing at all. */
export function readOpenedSession(answer: unknown): { modelId: string | undefined } {
  return { modelId: modelOf(read('session/load', openedSessionSchema, answer ?? {})) };
}

export function readPromptAnswer(answer: unknown): PromptAnswer {
  const { stopReason, usage } = read('session/prompt', promptSchema, answer);
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

export function modelOf({ configOptions, models }: z.infer<typeof openedSessionSchema>): string | undefined {
  const option = configOptions?.find(({ category }) => category === 'model')?.currentValue;
  return typeof option === 'string' ? option : models?.currentModelId;
}

function read<T>(method: string, schema: z.ZodType<T>, answer: unknown): T {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  throw new ProviderError(
    'AGENT_PROTOCOL_ERROR',
    `The agent's answer to ${method} does not fit the protocol. ${describeProblems(result.error)}`,
  );
}
