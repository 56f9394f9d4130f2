import type { SessionId } from '../../shared/ids.ts';
import { type MessageUpsert, type TurnSummary, userItemId } from '../../shared/stream-contracts.ts';
import { beginTurn } from '../../shared/turns.ts';

/** A message of the user as the journal keeps it before the agent has it. */
export function keptMessage({ sessionId, turnId, content, at }: KeptMessageFacts): {
  readonly upsert: MessageUpsert;
  readonly turn: TurnSummary;
} {
  const upsert: MessageUpsert = {
    type: 'message',
    origin: 'user',
    status: 'complete',
    sessionId,
    turnId,
    itemId: userItemId(turnId),
    content,
    sourceTimestamp: at,
    emittedAt: at,
  };
  return { upsert, turn: { ...beginTurn(turnId, at), receipt: 'kept' } };
}

interface KeptMessageFacts {
  readonly sessionId: SessionId;
  readonly turnId: string;
  readonly content: string;
  readonly at: string;
}
