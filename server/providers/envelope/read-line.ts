import { z } from 'zod';

/** What binds an event to a turn and an item. Laxer than the schema of the events, which has the last word. */
const bindingSchema = z.looseObject({
  turnId: z.string(),
  payload: z.looseObject({
    type: z.unknown().optional(),
    status: z.unknown().optional(),
    itemId: z.string().optional(),
  }),
});

export type AgentLine =
  | { readonly kind: 'not-json' }
  /** JSON that cannot be an event. */
  | { readonly kind: 'stray'; readonly value: unknown }
  | {
      readonly kind: 'event';
      readonly turnId: string;
      readonly event: unknown;
      /** Its turn fails by this event. */
      readonly isFailure: boolean;
    };

/** Reads one line of an agent. Its item ids need to be unique within a turn only: they get the turn's id in front. */
export function readLine(line: string): AgentLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'not-json' };
  }
  const parsed = bindingSchema.safeParse(value);
  if (!parsed.success) return { kind: 'stray', value };
  const { turnId, payload } = parsed.data;
  const { type, status, itemId } = payload;
  const isFailure = type === 'response_error' || (type === 'response_done' && status === 'error');
  const scoped = itemId === undefined ? payload : { ...payload, itemId: scopedItemId(turnId, itemId) };
  return { kind: 'event', turnId, isFailure, event: { ...parsed.data, payload: scoped } };
}

/** Cannot be mistaken for the user's own message or one of our notices, whatever the agent calls its items. */
function scopedItemId(turnId: string, itemId: string): string {
  return `${turnId}:agent:${itemId}`;
}
