import type { Receipt, TurnSummary } from '../../../shared/stream-contracts.ts';

/**
 * How far a message of the user has come. `waiting`: the server did not answer, and the message is sent again.
 * `not-taken`: its turn failed before the agent got it.
 */
export type SentState = Receipt | 'sending' | 'waiting' | 'not-taken';

export function sentStateOf(receipt: Receipt | undefined, turn: TurnSummary | undefined): SentState | undefined {
  return receipt === 'kept' && turn?.status === 'error' ? 'not-taken' : receipt;
}
