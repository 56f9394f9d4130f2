import type { SessionId } from '../../shared/ids.ts';
import { grow, joinGrowths } from './growth.ts';
import type { JournalChange, KeptConversation } from './journal.ts';

/** What is to be written for a session: first `reset`, then the changes in order. */
export interface SessionBatch {
  readonly sessionId: SessionId;
  readonly reset?: SessionReset | undefined;
  readonly changes: readonly JournalChange[];
}

export type SessionReset =
  | { readonly kind: 'remove' }
  | { readonly kind: 'replace'; readonly conversation: KeptConversation; readonly stamp: string | undefined };

/** Changes that are not on disk yet, one per item and turn. */
export interface PendingChanges {
  readonly isEmpty: boolean;
  add(sessionId: SessionId, changes: readonly JournalChange[]): void;
  reset(sessionId: SessionId, reset: SessionReset): void;
  /** Everything, which is then not pending any more. */
  take(): SessionBatch[];
  /** Batches that were taken but could not be written; they come before everything else. */
  putBack(batches: readonly SessionBatch[]): void;
}

interface Waiting {
  reset: SessionReset | undefined;
  readonly changes: Map<string, JournalChange>;
}

export function createPendingChanges(): PendingChanges {
  const sessions = new Map<SessionId, Waiting>();

  function waitingOf(sessionId: SessionId): Waiting {
    const found = sessions.get(sessionId);
    if (found !== undefined) return found;
    const waiting: Waiting = { reset: undefined, changes: new Map() };
    sessions.set(sessionId, waiting);
    return waiting;
  }

  function add(sessionId: SessionId, changes: readonly JournalChange[]): void {
    const waiting = waitingOf(sessionId).changes;
    for (const change of changes) join(waiting, change);
  }

  function reset(sessionId: SessionId, next: SessionReset): void {
    const waiting = waitingOf(sessionId);
    waiting.reset = next;
    waiting.changes.clear();
  }

  function take(): SessionBatch[] {
    const batches = [...sessions].map(([sessionId, waiting]) => ({
      sessionId,
      reset: waiting.reset,
      changes: [...waiting.changes.values()],
    }));
    sessions.clear();
    return batches;
  }

  function load(batches: readonly SessionBatch[]): void {
    for (const batch of batches) {
      if (batch.reset !== undefined) reset(batch.sessionId, batch.reset);
      add(batch.sessionId, batch.changes);
    }
  }

  return {
    get isEmpty() {
      return sessions.size === 0;
    },
    add,
    reset,
    take,
    putBack(batches) {
      const newer = take();
      load(batches);
      load(newer);
    },
  };
}

function join(waiting: Map<string, JournalChange>, change: JournalChange): void {
  switch (change.kind) {
    case 'item': {
      const key = `item:${change.upsert.itemId}`;
      const before = waiting.get(key);
      const position = change.position ?? (before?.kind === 'item' ? before.position : undefined);
      waiting.set(key, { ...change, position });
      return;
    }
    case 'growth': {
      const key = `item:${change.itemId}`;
      const before = waiting.get(key);
      if (before?.kind === 'item')
        waiting.set(key, { ...before, upsert: grow(before.upsert, change), seq: change.seq });
      else waiting.set(key, before?.kind === 'growth' ? joinGrowths(before, change) : change);
      return;
    }
    case 'turn':
      waiting.set(`turn:${change.turn.turnId}`, change);
      return;
    case 'forget-turn':
      waiting.delete(`turn:${change.turnId}`);
      for (const [key, other] of waiting) {
        if (other.kind === 'item' && other.upsert.turnId === change.turnId) waiting.delete(key);
      }
      waiting.set(`forget:${change.turnId}`, change);
  }
}
