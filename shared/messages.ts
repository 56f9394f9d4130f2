import { z } from 'zod';
import { commandNames } from './commands.ts';
import { agentStatusSchema, projectSchema, sessionListItemSchema } from './entities.ts';
import { errorBodySchema } from './errors.ts';
import { cliTypeSchema, projectIdSchema, requestIdSchema, sessionIdSchema } from './ids.ts';
import { turnEventSchema, turnSummarySchema, upsertObjectSchema } from './stream-contracts.ts';

/** Messages on the socket at `/ws`, one JSON object per frame. */

/** Close code for a socket that did not authenticate in time or sent a wrong token. */
export const CLOSE_UNAUTHORIZED = 4401;

export const authMessageSchema = z.strictObject({ type: z.literal('auth'), token: z.string().max(512) });

/** What every client frame has: a type, and an id that the answer repeats. The rest is the command's input. */
export const clientFrameSchema = z.looseObject({
  type: z.enum([...commandNames, 'session:subscribe', 'session:unsubscribe']),
  requestId: requestIdSchema.optional(),
});
export type ClientFrame = z.infer<typeof clientFrameSchema>;

export const subscriptionInputSchema = z.strictObject({ sessionId: sessionIdSchema });

const requestId = requestIdSchema.optional();

export const agentStatusMessageSchema = z.object({
  type: z.literal('agent:status'),
  cliType: cliTypeSchema,
  status: agentStatusSchema,
  /** Set where the status is that of one session's own process. */
  sessionId: sessionIdSchema.optional(),
  /** While reconnecting: the number of the attempt, how many there are, and the delay before it. */
  attempt: z.number().int().optional(),
  maxAttempts: z.number().int().optional(),
  retryInMs: z.number().optional(),
  /** What happened and what to do, unless all is well. */
  message: z.string().optional(),
  requestId,
});
export type AgentStatusMessage = z.infer<typeof agentStatusMessageSchema>;

export const historyMessageSchema = z.object({
  type: z.literal('session:history'),
  sessionId: sessionIdSchema,
  /** Finished and in-flight items, in order. */
  entries: z.array(upsertObjectSchema),
  turns: z.array(turnSummarySchema),
  requestId,
});
export type HistoryMessage = z.infer<typeof historyMessageSchema>;

export const upsertMessageSchema = z.object({
  type: z.literal('session:upsert'),
  sessionId: sessionIdSchema,
  payload: upsertObjectSchema,
});
export const turnMessageSchema = z.object({
  type: z.literal('session:turn'),
  sessionId: sessionIdSchema,
  payload: turnEventSchema,
});

/** Messages that the server sends by itself, to all windows or to those that subscribed. */
export const eventMessageSchema = z.discriminatedUnion('type', [
  upsertMessageSchema,
  turnMessageSchema,
  historyMessageSchema,
  z.object({ type: z.literal('project:added'), project: projectSchema, requestId }),
  z.object({ type: z.literal('project:removed'), projectId: projectIdSchema, requestId }),
  z.object({
    type: z.literal('session:created'),
    sessionId: sessionIdSchema,
    cliType: cliTypeSchema,
    projectId: projectIdSchema,
    session: sessionListItemSchema,
    requestId,
  }),
  z.object({ type: z.literal('session:archived'), sessionId: sessionIdSchema, requestId }),
  z.object({ type: z.literal('session:title-updated'), sessionId: sessionIdSchema, title: z.string() }),
  /** The state or activity of a session changed, as a session list shows it. */
  z.object({ type: z.literal('session:changed'), sessionId: sessionIdSchema, session: sessionListItemSchema }),
  agentStatusMessageSchema,
  z.object({ type: z.literal('error'), ...errorBodySchema.shape }),
]);
export type EventMessage = z.infer<typeof eventMessageSchema>;

/** Replies to commands that are not announced to other windows. */
const answerMessageSchema = z.looseObject({ type: z.string(), requestId });

export type ServerMessage = EventMessage | z.infer<typeof answerMessageSchema>;
