import type { SessionId } from '../../shared/ids.ts';
import type { Receipt, ReceiptEvent, TurnEvent } from '../../shared/stream-contracts.ts';

/** Reports how far the messages of the open turns have come. A receipt never goes back. */
export interface Receipts {
  begin(turnId: string): void;
  /** Ignored for a turn that no message began. */
  note(turnId: string, receipt: Step): void;
  /** Call it before the end of the turn is reported. */
  end(event: TurnEvent): void;
}

type Step = Extract<Receipt, 'taken' | 'requested'>;

const RANK: Readonly<Record<Step, number>> = { taken: 1, requested: 2 };

export function createReceipts(sessionId: SessionId, onReceipt: (event: ReceiptEvent) => void): Receipts {
  const ranks = new Map<string, number>();

  function note(turnId: string, receipt: Step): void {
    const rank = ranks.get(turnId);
    if (rank === undefined || rank >= RANK[receipt]) return;
    ranks.set(turnId, RANK[receipt]);
    onReceipt({ type: 'turn_receipt', turnId, sessionId, receipt });
  }

  return {
    begin: (turnId) => ranks.set(turnId, 0),
    note,
    end(event) {
      // A message that joined the turn of another one has no answer of its own.
      if (event.type === 'turn_complete' && event.status === 'completed') note(event.turnId, 'requested');
      ranks.delete(event.turnId);
    },
  };
}
