import { z } from 'zod';
import { commands } from './commands.ts';
import {
  agentStatusSchema,
  branchSchema,
  contextSchema,
  holderSchema,
  keepStatusSchema,
  sessionListItemSchema,
} from './entities.ts';
import { errorBodySchema } from './errors.ts';
import { cliTypeSchema, requestIdSchema, seqSchema, sessionIdSchema } from './ids.ts';
import {
  textEndSchema,
  turnEventSchema,
  turnSummarySchema,
  turnTimesSchema,
  upsertObjectSchema,
} from './stream-contracts.ts';

/**
 * Every event that the server sends, declared once. The server, the shell and the session page use these schemas, or
 * views derived from them; none of them repeats a field.
 */

const requestId = requestIdSchema.optional();

const sessionEvent = { sessionId: sessionIdSchema, seq: seqSchema };

export const upsertMessageSchema = z.object({
  type: z.literal('session:upsert'),
  ...sessionEvent,
  payload: upsertObjectSchema,
});

export const turnMessageSchema = z.object({
  type: z.literal('session:turn'),
  ...sessionEvent,
  payload: turnEventSchema,
  /** The times of the turn after this event, as a snapshot has them. Not set for a message that is not shown yet. */
  times: turnTimesSchema.optional(),
});

/** Replaces `session:upsert` for a window that subscribed with `appends`, where a text only grew. */
export const appendMessageSchema = z.object({
  type: z.literal('session:append'),
  ...sessionEvent,
  itemId: z.string().min(1),
  /** The length of the text before, in UTF-16 code units. */
  at: z.number().int().nonnegative(),
  text: z.string(),
  /** Set when the item ended with this text. */
  end: textEndSchema.optional(),
});
export type AppendMessage = z.infer<typeof appendMessageSchema>;

/** Everything that is numbered. */
export const sessionEventSchema = z.discriminatedUnion('type', [
  upsertMessageSchema,
  turnMessageSchema,
  appendMessageSchema,
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** A snapshot of a session: what a window that joins has to know. */
export const historyMessageSchema = z.object({
  type: z.literal('session:history'),
  sessionId: sessionIdSchema,
  /** The number of the last event that it includes. */
  asOf: seqSchema,
  /** Finished and unfinished items in order, the newest of them. */
  entries: z.array(upsertObjectSchema),
  turns: z.array(turnSummarySchema),
  /** There are older entries: `session:items` gets them. */
  more: z.literal(true).optional(),
  /** The agent no longer has this conversation: `session:put-back` restores it from the copy that we keep. */
  missing: z.literal(true).optional(),
  /** What the model is given with the next message. Absent while that is not known. */
  context: contextSchema.optional(),
  heldBy: holderSchema.optional(),
  /** Other branches of the conversation, newest first: `session:fork` goes on with one of them. */
  branches: z.array(branchSchema).optional(),
  requestId,
});
export type HistoryMessage = z.infer<typeof historyMessageSchema>;

/** Answers a subscription whose `from` was still known, after the events that the window had missed. */
export const resumedMessageSchema = z.object({
  type: z.literal('session:resumed'),
  sessionId: sessionIdSchema,
  asOf: seqSchema,
  requestId,
});

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

const announcements = [
  z.object({ type: z.literal('project:added'), ...commands['project:add'].output.shape, requestId }),
  /** The trust in a project, or what its directory would run, changed. */
  z.object({ type: z.literal('project:changed'), ...commands['project:trust'].output.shape, requestId }),
  z.object({ type: z.literal('project:removed'), ...commands['project:remove'].output.shape, requestId }),
  z.object({ type: z.literal('session:created'), ...commands['session:create'].output.shape, requestId }),
  z.object({ type: z.literal('session:archived'), ...commands['session:archive'].output.shape, requestId }),
  z.object({ type: z.literal('session:unarchived'), ...commands['session:unarchive'].output.shape, requestId }),
  z.object({ type: z.literal('session:deleted'), ...commands['session:delete'].output.shape, requestId }),
  z.object({ type: z.literal('session:title-updated'), ...commands['session:rename'].output.shape, requestId }),
  /** Sessions from terminals that were not known before, at most 500 at a time. */
  z.object({ type: z.literal('session:found'), sessions: z.array(sessionListItemSchema).max(500) }),
  /** The state or activity of a session changed, as a session list shows it. */
  z.object({ type: z.literal('session:changed'), sessionId: sessionIdSchema, session: sessionListItemSchema }),
  agentStatusMessageSchema,
  /** The state of the copies, or its message, changed. */
  z.object({ type: z.literal('keep:status'), ...keepStatusSchema.shape, requestId }),
  z.object({ type: z.literal('error'), ...errorBodySchema.shape }),
] as const;

/** Messages that the server sends by itself, to all windows or to those that subscribed. */
export const eventMessageSchema = z.discriminatedUnion('type', [
  upsertMessageSchema,
  turnMessageSchema,
  appendMessageSchema,
  historyMessageSchema,
  resumedMessageSchema,
  ...announcements,
]);
export type EventMessage = z.infer<typeof eventMessageSchema>;

/**
 * The same events for a reader that passes conversations on: entries and upserts are not parsed, because whoever shows
 * them does that, and parsing a long history twice would be noticed.
 */
export const unreadHistorySchema = historyMessageSchema.extend(unread('entries', 'turns'));
export const unreadUpsertSchema = upsertMessageSchema.extend({ payload: z.unknown() });
export const unreadItemsSchema = commands['session:items'].output.extend(unread('entries', 'turns'));
export const unreadEventSchema = z.discriminatedUnion('type', [
  unreadUpsertSchema,
  turnMessageSchema,
  appendMessageSchema,
  unreadHistorySchema,
  resumedMessageSchema,
  ...announcements,
]);

function unread<N extends string>(...lists: readonly N[]) {
  return Object.fromEntries(lists.map((name) => [name, z.array(z.unknown())])) as {
    [name in N]: z.ZodArray<z.ZodUnknown>;
  };
}
