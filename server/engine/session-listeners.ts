import type { SessionId } from '../../shared/ids.ts';
import type { ReceiptEvent, TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { TextGrowth } from '../streaming/text-item.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Unsubscribe } from './provider-types.ts';

/** The listeners of a provider by session. They stay registered while a session sleeps, crashes or is loaded again. */
export interface SessionListeners {
  onUpsert(sessionId: SessionId, callback: (upsert: UpsertObject, growth?: TextGrowth) => void): Unsubscribe;
  onTurn(sessionId: SessionId, callback: (event: TurnEvent) => void): Unsubscribe;
  onReceipt(sessionId: SessionId, callback: (event: ReceiptEvent) => void): Unsubscribe;
  emitUpsert(upsert: UpsertObject, growth?: TextGrowth): void;
  emitTurn(event: TurnEvent): void;
  emitReceipt(event: ReceiptEvent): void;
}

interface UpsertChange {
  readonly upsert: UpsertObject;
  readonly growth: TextGrowth | undefined;
}

export function createSessionListeners(onFailure: (error: unknown) => void): SessionListeners {
  const upserts = new Map<SessionId, Listeners<UpsertChange>>();
  const turns = new Map<SessionId, Listeners<TurnEvent>>();
  const receipts = new Map<SessionId, Listeners<ReceiptEvent>>();

  function of<T>(map: Map<SessionId, Listeners<T>>, sessionId: SessionId): Listeners<T> {
    const known = map.get(sessionId);
    if (known !== undefined) return known;
    const made = createListeners<T>(onFailure);
    map.set(sessionId, made);
    return made;
  }

  return {
    onUpsert: (sessionId, callback) => of(upserts, sessionId).add(({ upsert, growth }) => callback(upsert, growth)),
    onTurn: (sessionId, callback) => of(turns, sessionId).add(callback),
    onReceipt: (sessionId, callback) => of(receipts, sessionId).add(callback),
    emitUpsert: (upsert, growth) => upserts.get(upsert.sessionId)?.emit({ upsert, growth }),
    emitTurn: (event) => turns.get(event.sessionId)?.emit(event),
    emitReceipt: (event) => receipts.get(event.sessionId)?.emit(event),
  };
}
