import type { SessionId } from '../../shared/ids.ts';
import type { HistoryMessage, ServerMessage } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { Announcement } from '../sessions/session-events.ts';
import type { Window } from './window.ts';

/** What delivery needs of the sessions. */
export interface SessionSource {
  join(sessionId: SessionId, take: (history: HistoryMessage) => void): Promise<void>;
  watch(sessionId: SessionId): () => void;
}

/** All windows, and which of them looks at which session. A message is serialised once, however many windows get it. */
export interface Hub {
  add(window: Window): void;
  remove(window: Window): void;
  announce(announcement: Announcement, except?: Window): void;
  /** Sends the snapshot, then everything later, in order. Again for a window that subscribed before: a fresh snapshot. */
  subscribe(window: Window, sessionId: SessionId, requestId?: string): Promise<void>;
  unsubscribe(window: Window, sessionId: SessionId): void;
  close(): void;
}

export interface HubDeps {
  readonly clock: Clock;
  readonly source: () => SessionSource;
  /** A window that answers no ping for twice this long is gone. */
  readonly heartbeatMs: number;
}

export function createHub({ clock, source, heartbeatMs }: HubDeps): Hub {
  const windows = new Set<Window>();
  const watchers = new Map<SessionId, Map<Window, () => void>>();
  let heartbeat: unknown;

  function scheduleBeat(): void {
    heartbeat = clock.setTimeout(() => {
      for (const window of windows) window.beat();
      if (windows.size > 0) scheduleBeat();
      else heartbeat = undefined;
    }, heartbeatMs);
  }

  function unsubscribe(window: Window, sessionId: SessionId): void {
    const watching = watchers.get(sessionId);
    watching?.get(window)?.();
    watching?.delete(window);
    if (watching?.size === 0) watchers.delete(sessionId);
  }

  function watch(window: Window, sessionId: SessionId): void {
    const watching = watchers.get(sessionId) ?? new Map<Window, () => void>();
    watchers.set(sessionId, watching);
    if (!watching.has(window)) watching.set(window, source().watch(sessionId));
  }

  return {
    add(window) {
      windows.add(window);
      if (heartbeat === undefined) scheduleBeat();
    },
    remove(window) {
      windows.delete(window);
      for (const sessionId of [...watchers.keys()]) unsubscribe(window, sessionId);
    },
    announce(announcement, except) {
      const receivers = announcement.to === 'all' ? windows : watchers.get(announcement.sessionId)?.keys();
      if (receivers === undefined) return;
      let frame: string | undefined;
      for (const window of receivers) {
        if (window === except) continue;
        frame ??= serialise(announcement.message);
        window.send(frame);
      }
    },
    async subscribe(window, sessionId, requestId) {
      await source().join(sessionId, (history) => {
        if (!windows.has(window)) return;
        window.send(serialise(requestId === undefined ? history : { ...history, requestId }));
        watch(window, sessionId);
      });
    },
    unsubscribe,
    close() {
      if (heartbeat !== undefined) clock.clearTimeout(heartbeat);
      windows.clear();
    },
  };
}

export function serialise(message: ServerMessage): string {
  return JSON.stringify(message);
}
