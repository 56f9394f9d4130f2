/** The turns of a session that were sent to the agent and have not ended. */
export interface OpenTurns {
  open(turnId: string): void;
  has(turnId: string): boolean;
  /** It was open once. */
  hasEnded(turnId: string): boolean;
  list(): readonly string[];
  /** Marks a turn that the user gave up. */
  cancel(turnId: string): void;
  isCancelled(turnId: string): boolean;
  close(turnId: string): void;
  /** Resolves when none of these is open any more. */
  allEnded(turnIds: readonly string[]): Promise<void>;
}

interface Turn {
  isCancelled: boolean;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export function createOpenTurns(): OpenTurns {
  const turns = new Map<string, Turn>();
  const ended = new Set<string>();

  return {
    open(turnId) {
      let end = () => {};
      const whenEnded = new Promise<void>((resolve) => {
        end = resolve;
      });
      turns.set(turnId, { isCancelled: false, ended: whenEnded, end });
    },
    has: (turnId) => turns.has(turnId),
    hasEnded: (turnId) => ended.has(turnId),
    list: () => [...turns.keys()],
    cancel(turnId) {
      const turn = turns.get(turnId);
      if (turn !== undefined) turn.isCancelled = true;
    },
    isCancelled: (turnId) => turns.get(turnId)?.isCancelled ?? false,
    close(turnId) {
      ended.add(turnId);
      turns.get(turnId)?.end();
      turns.delete(turnId);
    },
    async allEnded(turnIds) {
      await Promise.all(turnIds.map((turnId) => turns.get(turnId)?.ended));
    },
  };
}
