import type { SessionId } from '../../shared/ids.ts';
import type { TurnEvent } from '../../shared/stream-contracts.ts';

export interface Turn {
  readonly turnId: string;
  /** Who answers in this turn. */
  providerId: string;
  isAnnounced: boolean;
  /** Every item that ever began in this turn. */
  readonly itemIds: Set<string>;
  /** The items of its calls, by call id. */
  readonly callItems: Map<string, string>;
}

export interface TurnFacts {
  readonly modelId?: string | undefined;
  readonly providerId?: string | undefined;
}

export interface Turns {
  /** The open turn of this id, opened if it was never seen. Undefined once it has ended. */
  enter(turnId: string): Turn | undefined;
  /** The turn of this id, ended or not: for what goes on in the background. */
  reenter(turnId: string): Turn;
  find(turnId: string): Turn | undefined;
  /** Emits `turn_started`, the first time only. */
  announce(turn: Turn, facts?: TurnFacts): void;
  /** From now on nothing happens in this turn any more. */
  leave(turn: Turn): void;
  /** In the order in which they were first seen. */
  open(): readonly Turn[];
}

export interface TurnsOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly onTurn: (event: TurnEvent) => void;
}

export function createTurns({ sessionId, providerId, onTurn }: TurnsOptions): Turns {
  const open = new Map<string, Turn>();
  const ended = new Map<string, Turn>();
  let lastModelId = 'unknown';

  function begin(turnId: string): Turn {
    const turn: Turn = { turnId, providerId, isAnnounced: false, itemIds: new Set(), callItems: new Map() };
    open.set(turnId, turn);
    return turn;
  }

  return {
    enter: (turnId) => (ended.has(turnId) ? undefined : (open.get(turnId) ?? begin(turnId))),
    reenter: (turnId) => open.get(turnId) ?? ended.get(turnId) ?? begin(turnId),
    find: (turnId) => open.get(turnId),
    announce(turn, facts = {}) {
      lastModelId = facts.modelId ?? lastModelId;
      if (turn.isAnnounced) return;
      turn.isAnnounced = true;
      turn.providerId = facts.providerId ?? turn.providerId;
      const { turnId } = turn;
      onTurn({ type: 'turn_started', turnId, sessionId, modelId: lastModelId, providerId: turn.providerId });
    },
    leave(turn) {
      open.delete(turn.turnId);
      ended.set(turn.turnId, turn);
    },
    open: () => [...open.values()],
  };
}
