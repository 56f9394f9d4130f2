import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** A message that the user sent and that has not come back as an item yet. */
export interface PendingSend {
  readonly sendId: string;
  readonly content: string;
  /** Known once the server has taken it. */
  readonly turnId: string | undefined;
}

/** Shown at the end of the conversation until the item itself arrives, by either way, first or last. */
export interface PendingSends {
  list(): readonly PendingSend[];
  add(sendId: string, content: string): void;
  /** The server took it. `hasArrived`: its item is already there. */
  bind(sendId: string, turnId: string, hasArrived: boolean): void;
  drop(sendId: string): void;
  /** The item of a sent message is there; it takes the place of what was shown in advance. */
  settle(upsert: UpsertObject): void;
}

export function createPendingSends(): PendingSends {
  let pending: PendingSend[] = [];
  const drop = (sendId: string): void => {
    pending = pending.filter((send) => send.sendId !== sendId);
  };
  return {
    list: () => pending,
    add: (sendId, content) => {
      pending = [...pending, { sendId, content, turnId: undefined }];
    },
    bind(sendId, turnId, hasArrived) {
      if (hasArrived) drop(sendId);
      else pending = pending.map((send) => (send.sendId === sendId ? { ...send, turnId } : send));
    },
    drop,
    settle(upsert) {
      if (upsert.type !== 'message' || upsert.origin !== 'user') return;
      // The item may overtake the answer that would have named its turn; then it is known by its words.
      const match =
        pending.find(({ turnId }) => turnId === upsert.turnId) ??
        pending.find(({ turnId, content }) => turnId === undefined && content === upsert.content);
      if (match !== undefined) drop(match.sendId);
    },
  };
}
