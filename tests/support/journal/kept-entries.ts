import type { JournalChange, KeptConversation } from '../../../server/journal/journal.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { type MessageUpsert, type TurnSummary, userItemId } from '../../../shared/stream-contracts.ts';

export const SESSION: SessionId = 'claude:one';
export const AT = '2026-01-01T00:00:00.000Z';
export const LATER = '2026-01-01T00:00:01.000Z';

export function message(turnId: string, index: number | 'user', rest: Partial<MessageUpsert> = {}): MessageUpsert {
  return {
    type: 'message',
    sessionId: SESSION,
    turnId,
    itemId: index === 'user' ? userItemId(turnId) : `${turnId}:0:${index}`,
    sourceTimestamp: AT,
    emittedAt: AT,
    status: 'complete',
    origin: index === 'user' ? 'user' : 'agent',
    content: `${index} of ${turnId}`,
    ...rest,
  };
}

export function turn(turnId: string, rest: Partial<TurnSummary> = {}): TurnSummary {
  return { turnId, status: 'completed', startedAt: AT, endedAt: LATER, ...rest };
}

export const item = (upsert: MessageUpsert, position?: number): JournalChange => ({
  kind: 'item',
  upsert,
  position,
  seq: 1,
});

export const turnChange = (summary: TurnSummary): JournalChange => ({ kind: 'turn', turn: summary, seq: 1 });

export const growth = (itemId: string, at: number, text: string): JournalChange => ({
  kind: 'growth',
  itemId,
  at,
  text,
  emittedAt: LATER,
  seq: 1,
});

/** Turns with a message of the user and some of the agent each. */
export function conversation(turns: number, entriesPerTurn: number, sessionId = SESSION): KeptConversation {
  const ids = Array.from({ length: turns }, (_, index) => `turn-${index}`);
  const entriesOf = (turnId: string) =>
    Array.from({ length: entriesPerTurn }, (_, index) => message(turnId, index === 0 ? 'user' : index, { sessionId }));
  return { entries: ids.flatMap(entriesOf), turns: ids.map((id) => turn(id)) };
}
