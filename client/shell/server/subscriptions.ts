import type { SessionId } from '../../../shared/ids.ts';
import type { ServerSocket } from './socket.ts';

/**
 * Follows sessions whose pages are open. The server answers each subscription with the whole conversation and then
 * sends what changes, so following anew is all it takes to catch up.
 */
export interface SessionFeed {
  /** Follows a session unless it is followed already. */
  follow(sessionId: SessionId): void;
  /** Follows it anew, for a page that has lost what it had. */
  refresh(sessionId: SessionId): void;
  leave(sessionId: SessionId): void;
  /** The server could not open the session: the next `follow` asks again. */
  failed(sessionId: SessionId): void;
  connected(): void;
  /** The socket is gone, and every subscription with it. */
  disconnected(): void;
}

export function createSessionFeed(socket: Pick<ServerSocket, 'send'>): SessionFeed {
  const followed = new Set<SessionId>();
  let isConnected = false;

  function refresh(sessionId: SessionId): void {
    if (!isConnected) return;
    followed.add(sessionId);
    socket.send({ type: 'session:subscribe', sessionId });
  }

  return {
    refresh,
    follow(sessionId) {
      if (!followed.has(sessionId)) refresh(sessionId);
    },
    leave(sessionId) {
      if (followed.delete(sessionId)) socket.send({ type: 'session:unsubscribe', sessionId });
    },
    failed(sessionId) {
      followed.delete(sessionId);
    },
    connected() {
      isConnected = true;
    },
    disconnected() {
      isConnected = false;
      followed.clear();
    },
  };
}
