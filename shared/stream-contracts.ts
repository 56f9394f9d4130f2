import { z } from 'zod';
import { sessionIdSchema } from './ids.ts';
import { originSchema, usageSchema } from './stream-events.ts';

/**
 * An upsert is the complete state of one item of a conversation, sent again whenever it changes. The receiver replaces
 * the item with that `itemId`. Item ids are `${turnId}:${messageOrdinal}:${blockIndex}`, and `userItemId(turnId)` for
 * the user's message.
 */

export const userItemId = (turnId: string): string => `${turnId}:user`;

/**
 * The id of a turn in a transcript that has no ids for turns, only their order. Live, the same turn has another id.
 */
export const countedTurnId = (nativeId: string, number: number): string => `${nativeId}:t${number}`;

export const isCountedTurnId = (turnId: string): boolean => /:t\d+$/.test(turnId);

export const isUserItemId = (itemId: string): boolean => itemId.endsWith(':user');

const upsertBase = {
  turnId: z.string().min(1),
  sessionId: sessionIdSchema,
  itemId: z.string().min(1),
  /** When the source event happened. */
  sourceTimestamp: z.iso.datetime(),
  /** When this upsert was emitted. */
  emittedAt: z.iso.datetime(),
  status: z.enum(['create', 'update', 'complete', 'error']),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  /** The tool call of the sub-agent that produced this item. */
  parentItemId: z.string().optional(),
  /** It was shown here, but the agent does not have it: the model will not see it. */
  inContext: z.literal(false).optional(),
};

export const messageUpsertSchema = z.object({
  ...upsertBase,
  type: z.literal('message'),
  content: z.string(),
  origin: originSchema,
});
export type MessageUpsert = z.infer<typeof messageUpsertSchema>;

export const thinkingUpsertSchema = z.object({
  ...upsertBase,
  type: z.literal('thinking'),
  content: z.string(),
  providerId: z.string(),
});
export type ThinkingUpsert = z.infer<typeof thinkingUpsertSchema>;

export const toolKindSchema = z.enum(['execute', 'read', 'edit', 'search', 'fetch', 'think', 'other']);
export type ToolKind = z.infer<typeof toolKindSchema>;

/** `oldText` is null for a new file. */
export const diffSchema = z.object({ path: z.string(), oldText: z.string().nullable(), newText: z.string() });
export type Diff = z.infer<typeof diffSchema>;

export const toolCallUpsertSchema = z.object({
  ...upsertBase,
  type: z.literal('tool_call'),
  toolName: z.string(),
  /** May be empty on `create`. */
  toolArguments: z.record(z.string(), z.unknown()),
  callId: z.string().min(1),
  toolOutput: z.string().optional(),
  toolOutputIsError: z.boolean().optional(),
  toolKind: toolKindSchema.optional(),
  diffs: z.array(diffSchema).optional(),
  exitCode: z.number().int().optional(),
  /** Runs beside the conversation: until its status is `complete` or `error` it goes on, whatever became of its turn. */
  background: z.boolean().optional(),
  /** When background work began. Sent while it runs, in a snapshot: its other times are those of its last change. */
  startedAt: z.iso.datetime().optional(),
});
export type ToolCallUpsert = z.infer<typeof toolCallUpsertSchema>;

export const upsertObjectSchema = z.discriminatedUnion('type', [
  messageUpsertSchema,
  thinkingUpsertSchema,
  toolCallUpsertSchema,
]);
export type UpsertObject = z.infer<typeof upsertObjectSchema>;

/** What the last upsert of a text has besides the text: sent with `session:append`. */
export const textEndSchema = messageUpsertSchema
  .pick({ emittedAt: true, sourceTimestamp: true, errorCode: true, errorMessage: true })
  .extend({ status: z.enum(['complete', 'error']) });
export type TextEnd = z.infer<typeof textEndSchema>;

/**
 * How far the user's message of a turn has come: on our disk, with the agent, in a request to the model. `uncertain`:
 * something ended before we could know.
 */
export const receiptSchema = z.enum(['kept', 'taken', 'requested', 'uncertain']);
export type Receipt = z.infer<typeof receiptSchema>;

const turnBase = { turnId: z.string().min(1), sessionId: sessionIdSchema };

export const turnEventSchema = z.discriminatedUnion('type', [
  z.object({ ...turnBase, type: z.literal('turn_started'), modelId: z.string(), providerId: z.string() }),
  z.object({
    ...turnBase,
    type: z.literal('turn_complete'),
    status: z.enum(['completed', 'cancelled']),
    usage: usageSchema.optional(),
    stopReason: z.string().optional(),
  }),
  z.object({ ...turnBase, type: z.literal('turn_error'), errorCode: z.string(), errorMessage: z.string() }),
  /** May come before the message itself, which is shown when the agent has taken it. */
  z.object({ ...turnBase, type: z.literal('turn_receipt'), receipt: receiptSchema }),
]);
export type TurnEvent = z.infer<typeof turnEventSchema>;
export type ReceiptEvent = Extract<TurnEvent, { type: 'turn_receipt' }>;

/** The state of a turn, sent with `session:history`. */
export const turnSummarySchema = z.object({
  turnId: z.string().min(1),
  status: z.enum(['running', 'completed', 'cancelled', 'error']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  modelId: z.string().optional(),
  usage: usageSchema.optional(),
  stopReason: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  receipt: receiptSchema.optional(),
});
export type TurnSummary = z.infer<typeof turnSummarySchema>;

export const turnTimesSchema = turnSummarySchema.pick({ startedAt: true, endedAt: true });
export type TurnTimes = z.infer<typeof turnTimesSchema>;
