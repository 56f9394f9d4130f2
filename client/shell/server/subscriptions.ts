import type { SessionId } from '../../../shared/ids.ts';
import type { Subscription } from '../../../shared/messages.ts';
import type { ServerSocket } from './socket.ts';

/**
 * Subscriptions to the sessions whose pages are open. A page that has a conversation gets the events that it missed; a
 * page that has none, or that missed too many, gets a snapshot.
 */
export interface Subscriptions {
  /** Subscribes to a session unless that has been done already. */
  subscribe(sessionId: SessionId): void;
  /** Subscribes again and gets a snapshot, for a page that has lost its conversation or missed an event. */
  resubscribe(sessionId: SessionId): void;
  unsubscribe(sessionId: SessionId): void;
  /** A snapshot with this number was forwarded to the page of the session. */
  snapshot(sessionId: SessionId, asOf: number): void;
  /** An event was forwarded. */
  event(sessionId: SessionId, seq: number): void;
  /** The server could not open the session: the next `subscribe` asks again. */
  failed(sessionId: SessionId): void;
  connected(): void;
  /** A lost socket ends every subscription. */
  disconnected(): void;
}

export function createSubscriptions(socket: Pick<ServerSocket, 'send'>): Subscriptions {
  const subscribed = new Set<SessionId>();
  /** The number of the last event that each page got. */
  const lastSeqs = new Map<SessionId, number>();
  let isConnected = false;

  function send(sessionId: SessionId): void {
    if (!isConnected) return;
    subscribed.add(sessionId);
    const from = lastSeqs.get(sessionId);
    const subscription: Subscription = { sessionId, appends: true, ...(from !== undefined && { from }) };
    // Answered, so that a page learns when it is up to date, also if it missed nothing.
    socket.send({ ...subscription, type: 'session:subscribe', requestId: 'subscribe' });
  }

  return {
    subscribe(sessionId) {
      if (!subscribed.has(sessionId)) send(sessionId);
    },
    resubscribe(sessionId) {
      lastSeqs.delete(sessionId);
      send(sessionId);
    },
    unsubscribe(sessionId) {
      lastSeqs.delete(sessionId);
      if (subscribed.delete(sessionId)) socket.send({ type: 'session:unsubscribe', sessionId });
    },
    snapshot(sessionId, asOf) {
      if (subscribed.has(sessionId)) lastSeqs.set(sessionId, asOf);
    },
    event(sessionId, seq) {
      // A page that waits for a snapshot drops events until then.
      if (lastSeqs.has(sessionId)) lastSeqs.set(sessionId, seq);
    },
    failed(sessionId) {
      subscribed.delete(sessionId);
    },
    connected() {
      isConnected = true;
    },
    disconnected() {
      isConnected = false;
      subscribed.clear();
    },
  };
}
