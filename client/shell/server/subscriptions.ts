import type { SessionId } from '../../../shared/ids.ts';
import type { ServerSocket } from './socket.ts';

/**
 * Subscriptions to the sessions whose pages are open. The server answers each subscription with the whole conversation
 * and then sends changes, so subscribing again is all it takes to catch up.
 */
export interface Subscriptions {
  /** Subscribes to a session unless that has been done already. */
  subscribe(sessionId: SessionId): void;
  /** Subscribes again, for a page that was reloaded and has lost its conversation. */
  resubscribe(sessionId: SessionId): void;
  unsubscribe(sessionId: SessionId): void;
  /** The server could not open the session: the next `subscribe` asks again. */
  failed(sessionId: SessionId): void;
  connected(): void;
  /** A lost socket ends every subscription. */
  disconnected(): void;
}

export function createSubscriptions(socket: Pick<ServerSocket, 'send'>): Subscriptions {
  const subscribed = new Set<SessionId>();
  let isConnected = false;

  function resubscribe(sessionId: SessionId): void {
    if (!isConnected) return;
    subscribed.add(sessionId);
    socket.send({ type: 'session:subscribe', sessionId });
  }

  return {
    resubscribe,
    subscribe(sessionId) {
      if (!subscribed.has(sessionId)) resubscribe(sessionId);
    },
    unsubscribe(sessionId) {
      if (subscribed.delete(sessionId)) socket.send({ type: 'session:unsubscribe', sessionId });
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
