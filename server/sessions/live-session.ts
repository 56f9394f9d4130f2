import type { TurnEvent, TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';

/**
 * What an open session looks like at this moment: its items in the order they first appeared and its turns. A window
 * that joins gets a snapshot of it and then everything that changes it.
 */
export interface LiveSession {
  applyUpsert(upsert: UpsertObject): true;
  /** Answers false for a turn event that changes nothing: the turn ended before. */
  applyTurn(event: TurnEvent, now: string): boolean;
  snapshot(): { entries: UpsertObject[]; turns: TurnSummary[] };
  runningTurns(): ReadonlySet<string>;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
}

export function createLiveSession(history: readonly UpsertObject[]): LiveSession {
  const items = new Map<string, UpsertObject>(history.map((upsert) => [upsert.itemId, upsert]));
  const turns = new Map<string, TurnSummary>();
  const running = new Set<string>();

  function begin(turnId: string, now: string): TurnSummary {
    const known = turns.get(turnId);
    if (known !== undefined) return known;
    const turn: TurnSummary = { turnId, status: 'running', startedAt: now };
    turns.set(turnId, turn);
    running.add(turnId);
    return turn;
  }

  return {
    applyUpsert(upsert) {
      items.set(upsert.itemId, upsert);
      if (upsert.itemId === `${upsert.turnId}:user`) begin(upsert.turnId, upsert.emittedAt);
      return true;
    },
    applyTurn(event, now) {
      const turn = begin(event.turnId, now);
      if (turn.status !== 'running') return false;
      turns.set(event.turnId, changedTurn(turn, event, now));
      if (event.type !== 'turn_started') running.delete(event.turnId);
      return true;
    },
    snapshot: () => ({ entries: [...items.values()], turns: [...turns.values()] }),
    runningTurns: () => running,
    hasFailed: () => [...turns.values()].at(-1)?.status === 'error',
  };
}

function changedTurn(turn: TurnSummary, event: TurnEvent, now: string): TurnSummary {
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
