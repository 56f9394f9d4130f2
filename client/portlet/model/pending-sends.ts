/** A sent message that has not come back as an item yet. */
export interface PendingSend {
  /** Chosen by the page. */
  readonly turnId: string;
  readonly content: string;
  /** The server has not answered, and the message is sent again when it can be reached. */
  readonly isWaiting: boolean;
}

/** Shown at the end of the conversation until the item arrives, which may be before or after the response. */
export interface PendingSends {
  list(): readonly PendingSend[];
  /** Adds a message, or replaces the one with its id. */
  put(send: PendingSend): void;
  drop(turnId: string): void;
}

export function createPendingSends(): PendingSends {
  const pending = new Map<string, PendingSend>();
  return {
    list: () => [...pending.values()],
    put: (send) => void pending.set(send.turnId, send),
    drop: (turnId) => void pending.delete(turnId),
  };
}
