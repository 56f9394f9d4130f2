import type { SessionId } from '../../shared/ids.ts';
import type { TurnEvent } from '../../shared/stream-contracts.ts';

export interface Turn {
  readonly turnId: string;
  /** The provider that answers in this turn. */
  providerId: string;
  isAnnounced: boolean;
  /** All items that began in this turn. */
  readonly itemIds: Set<string>;
  /** Item ids by call id. */
  readonly callItems: Map<string, string>;
}

export interface TurnFacts {
  readonly modelId?: string | undefined;
  readonly providerId?: string | undefined;
}

export interface Turns {
  /** Returns the open turn, creating it if it is new, or undefined if it has ended. */
  enter(turnId: string): Turn | undefined;
  /** Returns the turn even if it has ended, for background work. */
  reenter(turnId: string): Turn;
  find(turnId: string): Turn | undefined;
  /** Emits `turn_started`, once. */
  announce(turn: Turn, facts?: TurnFacts): void;
  /** Ends the turn: later actions for it are ignored. */
  leave(turn: Turn): void;
  /** In the order in which they began. */
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
