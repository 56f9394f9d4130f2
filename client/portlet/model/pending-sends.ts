import type { UpsertObject } from '../../../shared/stream-contracts.ts';

/** A sent message that has not come back as an item yet. */
export interface PendingSend {
  readonly sendId: string;
  readonly content: string;
  /** Known once the server has accepted the message. */
  readonly turnId: string | undefined;
}

/** Shown at the end of the conversation until the item arrives, which may be before or after the response. */
export interface PendingSends {
  list(): readonly PendingSend[];
  add(sendId: string, content: string): void;
  /** The server accepted the message. `hasArrived` means that its item is already there. */
  bind(sendId: string, turnId: string, hasArrived: boolean): void;
  drop(sendId: string): void;
  /** Removes the pending message that `upsert` is the item of, if there is one. */
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
      // The item may arrive before the response that names its turn. Then it is matched by its content.
      const match =
        pending.find(({ turnId }) => turnId === upsert.turnId) ??
        pending.find(({ turnId, content }) => turnId === undefined && content === upsert.content);
      if (match !== undefined) drop(match.sendId);
    },
  };
}
