/** Notices about an agent's misbehaviour, limited per turn because a program may print a lot of garbage. */
export interface Notices {
  report(text: string): void;
  /** Shows pending and later notices in this turn. */
  openTurn(turnId: string): void;
  closeTurn(turnId: string): void;
}

export interface NoticesOptions {
  readonly show: (turnId: string, itemId: string, text: string) => void;
  readonly log: (text: string) => void;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 3;

export function createNotices({ show, log, limit = DEFAULT_LIMIT }: NoticesOptions): Notices {
  /** Number of notices per open turn. */
  const counts = new Map<string, number>();
  let waiting: string[] = [];

  function add(turnId: string, text: string): void {
    const count = (counts.get(turnId) ?? 0) + 1;
    counts.set(turnId, count);
    if (count > limit + 1) return;
    const shown = count <= limit ? text : 'There is more of this. It is not shown in this turn.';
    log(shown);
    show(turnId, `${turnId}:notice:${count}`, shown);
  }

  return {
    report(text) {
      const turnId = [...counts.keys()].at(-1);
      if (turnId !== undefined) add(turnId, text);
      else if (waiting.length <= limit) waiting.push(text);
    },
    openTurn(turnId) {
      counts.set(turnId, 0);
      const texts = waiting;
      waiting = [];
      for (const text of texts) add(turnId, text);
    },
    closeTurn: (turnId) => {
      counts.delete(turnId);
    },
  };
}
