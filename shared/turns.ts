import type { TurnEvent, TurnSummary, TurnTimes } from './stream-contracts.ts';

/** A turn that has just begun: its message was taken, or its first event came. */
export function beginTurn(turnId: string, now: string): TurnSummary {
  return { turnId, status: 'running', startedAt: now };
}

export function timesOf({ startedAt, endedAt }: TurnSummary): TurnTimes {
  return { startedAt, ...(endedAt !== undefined && { endedAt }) };
}

export function isTurnEnd({ type }: TurnEvent): boolean {
  return type === 'turn_complete' || type === 'turn_error';
}

/**
 * The turn after an event. A turn that has ended does not change any more, except for its receipt: it is returned as it
 * is. A receipt alone begins no turn.
 */
export function foldTurn(known: TurnSummary | undefined, event: TurnEvent, now: string): TurnSummary | undefined {
  if (event.type === 'turn_receipt') return known && { ...known, receipt: event.receipt };
  const turn = known ?? beginTurn(event.turnId, now);
  if (turn.status !== 'running') return turn;
  switch (event.type) {
    case 'turn_started':
      return { ...turn, modelId: event.modelId };
    case 'turn_complete':
      return {
        ...turn,
        status: event.status,
        endedAt: now,
        ...(event.usage === undefined ? {} : { usage: event.usage }),
        ...(event.stopReason === undefined ? {} : { stopReason: event.stopReason }),
      };
    case 'turn_error':
      return { ...turn, status: 'error', endedAt: now, errorCode: event.errorCode, errorMessage: event.errorMessage };
  }
}
