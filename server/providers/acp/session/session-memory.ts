import type { SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { SessionRecord } from '../../../engine/driver.ts';

/** What is remembered of an open session while its processes come and go. */
export interface SessionMemory {
  /** A message was sent, so the session must never be created anew. */
  wasPrompted: boolean;
  /** What is shown is kept, because the agent cannot load it again. */
  keepsShown: boolean;
  readonly shown: Map<string, UpsertObject>;
  readonly seenNotices: Set<string>;
}

export interface SessionMemories {
  find(sessionId: SessionId): SessionMemory | undefined;
  /** Created where there is none. */
  of(sessionId: SessionId): SessionMemory;
  /** Remembers the session until the record is closed. */
  openRecord(sessionId: SessionId): SessionRecord;
}

export function createSessionMemories(): SessionMemories {
  const memories = new Map<SessionId, SessionMemory>();

  function of(sessionId: SessionId): SessionMemory {
    const known = memories.get(sessionId);
    if (known !== undefined) return known;
    const memory = { wasPrompted: false, keepsShown: false, shown: new Map(), seenNotices: new Set<string>() };
    memories.set(sessionId, memory);
    return memory;
  }

  return {
    find: (sessionId) => memories.get(sessionId),
    of,
    openRecord(sessionId) {
      const memory = of(sessionId);
      return {
        take(upsert) {
          if (memory.keepsShown) memory.shown.set(upsert.itemId, upsert);
        },
        endTurn() {},
        close() {
          if (memories.get(sessionId) === memory) memories.delete(sessionId);
        },
      };
    },
  };
}
