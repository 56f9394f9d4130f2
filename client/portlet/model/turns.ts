import type { Receipt, TurnEvent, TurnSummary, TurnTimes } from '../../../shared/stream-contracts.ts';
import { beginTurn, foldTurn } from '../../../shared/turns.ts';

/** The state of each turn, from the summaries in the history and the events that follow. */
export interface Turns {
  all(): ReadonlyMap<string, TurnSummary>;
  replace(turns: readonly TurnSummary[]): void;
  /** Adds older turns. A turn that is already known is newer and stays. */
  add(turns: readonly TurnSummary[]): void;
  /** `times`: those of the server. Without them, the event happens now. */
  apply(event: TurnEvent, times?: TurnTimes): void;
  /** The server accepted a message: its turn is running, unless it is known already. */
  begin(turnId: string): void;
  running(): readonly TurnSummary[];
  hasEnded(turnId: string): boolean;
  /** A receipt may come before anything else of its turn. */
  receiptOf(turnId: string): Receipt | undefined;
}

export function createTurns(now: () => number): Turns {
  let turns = new Map<string, TurnSummary>();
  /** Receipts of turns that were not known yet. */
  const early = new Map<string, Receipt>();
  const time = (): string => new Date(now()).toISOString();

  return {
    all: () => turns,
    begin(turnId) {
      if (!turns.has(turnId)) turns.set(turnId, beginTurn(turnId, time()));
    },
    replace(summaries) {
      turns = new Map(summaries.map((turn) => [turn.turnId, turn]));
      early.clear();
    },
    add(summaries) {
      for (const turn of summaries) if (!turns.has(turn.turnId)) turns.set(turn.turnId, turn);
    },
    apply(event, times) {
      const turn = foldTurn(turns.get(event.turnId), event, time());
      if (turn !== undefined) turns.set(event.turnId, { ...turn, ...times });
      else if (event.type === 'turn_receipt') early.set(event.turnId, event.receipt);
    },
    running: () => [...turns.values()].filter(({ status }) => status === 'running'),
    receiptOf: (turnId) => turns.get(turnId)?.receipt ?? early.get(turnId),
    hasEnded: (turnId) => turns.has(turnId) && turns.get(turnId)?.status !== 'running',
  };
}
