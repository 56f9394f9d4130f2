import { z } from 'zod';

/**
 * Canonical stream events: what an agent of one's own prints, one JSON object a line, and what
 * `UpsertStreamProcessor` turns into upserts. In-flight data, not stored entries.
 */

export const usageSchema = z.object({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cacheReadInputTokens: z.number().int().nonnegative().optional(),
  cacheCreationInputTokens: z.number().int().nonnegative().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

const identifier = z.string().min(1);

export const streamErrorSchema = z.object({ code: identifier, message: z.string() });

export const originSchema = z.enum(['user', 'agent', 'system']);

export const finalizedItemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), content: z.string(), origin: originSchema }),
  z.object({ type: z.literal('reasoning'), content: z.string(), providerId: z.string() }),
  z.object({
    type: z.literal('function_call'),
    name: identifier,
    callId: identifier,
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal('function_call_output'),
    callId: identifier,
    output: z.string(),
    isError: z.boolean(),
  }),
]);
export type FinalizedItem = z.infer<typeof finalizedItemSchema>;

const itemTypeSchema = z.enum(['message', 'reasoning', 'function_call', 'function_call_output']);

const itemStartSchema = z
  .object({
    type: z.literal('item_start'),
    itemId: identifier,
    itemType: itemTypeSchema,
    initialContent: z.string().optional(),
    name: identifier.optional(),
    callId: identifier.optional(),
  })
  .superRefine((payload, context) => {
    if (payload.itemType !== 'function_call') return;
    for (const field of ['name', 'callId'] as const) {
      if (payload[field] === undefined) {
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `${field} is required when a function_call starts`,
        });
      }
    }
  });

const responseDoneSchema = z
  .object({
    type: z.literal('response_done'),
    status: z.enum(['completed', 'cancelled', 'error']),
    finishReason: z.string().optional(),
    error: streamErrorSchema.optional(),
    usage: usageSchema.optional(),
  })
  .superRefine((payload, context) => {
    if (payload.status === 'error' && payload.error === undefined && payload.finishReason === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['error'],
        message: 'error (or at least finishReason) is required when the status is error',
      });
    }
  });

export const streamEventPayloadSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response_start'), modelId: z.string(), providerId: z.string() }),
  itemStartSchema,
  z.object({ type: z.literal('item_delta'), itemId: identifier, deltaContent: z.string() }),
  z.object({ type: z.literal('item_done'), itemId: identifier, finalItem: finalizedItemSchema }),
  z.object({ type: z.literal('item_error'), itemId: identifier, error: streamErrorSchema }),
  z.object({ type: z.literal('item_cancelled'), itemId: identifier, reason: z.string().optional() }),
  responseDoneSchema,
  z.object({ type: z.literal('response_error'), error: streamErrorSchema }),
]);
export type StreamEventPayload = z.infer<typeof streamEventPayloadSchema>;

const streamEventTypeSchema = z.enum([
  'response_start',
  'item_start',
  'item_delta',
  'item_done',
  'item_error',
  'item_cancelled',
  'response_done',
  'response_error',
]);

export const streamEventEnvelopeSchema = z
  .object({
    eventId: identifier,
    /** When the source made the event; becomes `sourceTimestamp` of the upserts it causes. */
    timestamp: z.iso.datetime(),
    turnId: identifier,
    sessionId: identifier,
    type: streamEventTypeSchema,
    payload: streamEventPayloadSchema,
  })
  .superRefine((event, context) => {
    if (event.type !== event.payload.type) {
      context.addIssue({
        code: 'custom',
        path: ['type'],
        message: `envelope type ${event.type} must equal payload type ${event.payload.type}`,
      });
    }
  });
export type StreamEventEnvelope = z.infer<typeof streamEventEnvelopeSchema>;
