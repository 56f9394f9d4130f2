import type { KeptConversation } from '../../../../server/journal/journal.ts';
import { type TurnSummary, type UpsertObject, userItemId } from '../../../../shared/stream-contracts.ts';

type Part = Partial<UpsertObject> & Pick<UpsertObject, 'type'>;

export const AT = '2026-11-16T12:00:00.000Z';

/** Milliseconds after `AT`. */
export const at = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString();

export const say = (content: string, more: Partial<UpsertObject> = {}): Part =>
  ({ type: 'message', origin: 'agent', content, ...more }) as Part;

export const think = (content: string, more: Partial<UpsertObject> = {}): Part =>
  ({ type: 'thinking', content, providerId: 'x', ...more }) as Part;

export const note = (content: string, more: Partial<UpsertObject> = {}): Part =>
  ({ type: 'message', origin: 'system', content, ...more }) as Part;

export const call = (callId: string, toolOutput?: string, more: Partial<UpsertObject> = {}): Part =>
  ({
    type: 'tool_call',
    callId,
    toolName: 'shell',
    toolArguments: {},
    ...(toolOutput !== undefined && { toolOutput }),
    ...more,
  }) as Part;

export const stopped = { status: 'error', errorCode: 'SERVER_STOPPED', errorMessage: 'stopped' } as const;
export const retried = { status: 'error', errorCode: 'STREAM_RETRIED', errorMessage: 'retried' } as const;

/** The items of a turn: the user's message, if there is one, and the parts in order. */
export function turn(turnId: string, text: string | undefined, parts: readonly Part[] = [], time = AT): UpsertObject[] {
  const base = { turnId, sessionId: 's', sourceTimestamp: time, emittedAt: time, status: 'complete' } as const;
  const user = { ...base, type: 'message', origin: 'user', itemId: userItemId(turnId), content: text ?? '' } as const;
  const items = parts.map((part, index) => ({ ...base, itemId: `${turnId}:${index}:0`, ...part }) as UpsertObject);
  return text === undefined ? items : [user, ...items];
}

export function summary(turnId: string, more: Partial<TurnSummary> = {}): TurnSummary {
  return { turnId, status: 'completed', startedAt: AT, endedAt: AT, receipt: 'requested', ...more };
}

/** A conversation with a summary of each turn, completed unless given. */
export function conversation(entries: readonly UpsertObject[], turns: readonly TurnSummary[] = []): KeptConversation {
  const given = new Map(turns.map((each) => [each.turnId, each]));
  const turnIds = [...new Set(entries.map(({ turnId }) => turnId))];
  return { entries, turns: turnIds.map((turnId) => given.get(turnId) ?? summary(turnId)) };
}

export function textOf(item: UpsertObject): string {
  return item.type === 'tool_call' ? `call ${item.callId}` : item.content;
}

/** What is shown, with a mark at what is not in the model's context. */
export function shown({ entries }: KeptConversation): string[] {
  return entries.map((item) => `${textOf(item)}${item.inContext === false ? ' (not in context)' : ''}`);
}
