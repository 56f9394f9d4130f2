import type { TurnEvent, TurnSummary } from '../../../shared/stream-contracts.ts';

/** The state of each turn, from the summaries in the history and the events that follow. */
export interface Turns {
  all(): ReadonlyMap<string, TurnSummary>;
  replace(turns: readonly TurnSummary[]): void;
  /** Adds older turns. A turn that is already known is newer and stays. */
  add(turns: readonly TurnSummary[]): void;
  apply(event: TurnEvent): void;
  /** The server accepted a message: its turn is running, unless it is known already. */
  begin(turnId: string): void;
  running(): readonly TurnSummary[];
  hasEnded(turnId: string): boolean;
}

export function createTurns(now: () => number): Turns {
  let turns = new Map<string, TurnSummary>();
  const time = (): string => new Date(now()).toISOString();

  function begin(turnId: string): TurnSummary {
    const known = turns.get(turnId);
    if (known !== undefined) return known;
    const turn: TurnSummary = { turnId, status: 'running', startedAt: time() };
    turns.set(turnId, turn);
    return turn;
  }

  return {
    all: () => turns,
    begin,
    replace(summaries) {
      turns = new Map(summaries.map((turn) => [turn.turnId, turn]));
    },
    add(summaries) {
      for (const turn of summaries) if (!turns.has(turn.turnId)) turns.set(turn.turnId, turn);
    },
    apply(event) {
      const turn = begin(event.turnId);
      turns.set(event.turnId, { ...turn, ...change(event, time()) });
    },
    running: () => [...turns.values()].filter(({ status }) => status === 'running'),
    hasEnded: (turnId) => turns.has(turnId) && turns.get(turnId)?.status !== 'running',
  };
}

function change(event: TurnEvent, at: string): Partial<TurnSummary> {
  switch (event.type) {
    case 'turn_started':
      return { modelId: event.modelId };
    case 'turn_complete': {
      const { status, usage, stopReason } = event;
      return { status, endedAt: at, ...(usage && { usage }), ...(stopReason !== undefined && { stopReason }) };
    }
    case 'turn_error':
      return { status: 'error', endedAt: at, errorCode: event.errorCode, errorMessage: event.errorMessage };
  }
}
