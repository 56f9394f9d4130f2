import type { SessionId } from '../../shared/ids.ts';
import type { AgentStatusMessage, HistoryMessage, ServerMessage } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { Announcement } from '../sessions/session-events.ts';
import type { Frame, Window } from './window.ts';

/** What delivery needs from the sessions. */
export interface SessionSource {
  join(sessionId: SessionId, take: (history: HistoryMessage) => void): Promise<void>;
  watch(sessionId: SessionId): () => void;
  agentStatuses(): readonly AgentStatusMessage[];
}

/** All windows and their subscriptions. A message is serialised once for all its receivers. */
export interface Hub {
  /** Sends the window the status of the agents, then everything that is announced to all windows. */
  add(window: Window): void;
  remove(window: Window): void;
  announce(announcement: Announcement, except?: Window): void;
  /** Sends a snapshot, then all later events in order. A repeated subscription gets a fresh snapshot. */
  subscribe(window: Window, sessionId: SessionId, requestId?: string): Promise<void>;
  /** Also cancels a subscription whose session is still loading. */
  unsubscribe(window: Window, sessionId: SessionId): void;
  close(): void;
}

export interface HubDeps {
  readonly clock: Clock;
  readonly source: () => SessionSource;
  /** A window that answers no ping for twice this time is disconnected. */
  readonly heartbeatMs: number;
}

export function createHub({ clock, source, heartbeatMs }: HubDeps): Hub {
  /** Every window with its subscriptions. */
  const windows = new Map<Window, Set<SessionId>>();
  const watchers = new Map<SessionId, Map<Window, () => void>>();
  let heartbeat: unknown;

  function scheduleBeat(): void {
    heartbeat = clock.setTimeout(() => {
      for (const window of windows.keys()) window.beat();
      if (windows.size > 0) scheduleBeat();
      else heartbeat = undefined;
    }, heartbeatMs);
  }

  function unsubscribe(window: Window, sessionId: SessionId): void {
    windows.get(window)?.delete(sessionId);
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
      windows.set(window, new Set());
      for (const status of source().agentStatuses()) window.send(serialise(status));
      if (heartbeat === undefined) scheduleBeat();
    },
    remove(window) {
      for (const sessionId of windows.get(window) ?? []) unsubscribe(window, sessionId);
      windows.delete(window);
    },
    announce(announcement, except) {
      const receivers = announcement.to === 'all' ? windows.keys() : watchers.get(announcement.sessionId)?.keys();
      let frame: Frame | undefined;
      for (const window of receivers ?? []) {
        if (window === except) continue;
        frame ??= serialise(announcement.message);
        if (announcement.message.type === 'session:history') window.sendSnapshot(frame);
        else window.send(frame);
      }
    },
    async subscribe(window, sessionId, requestId) {
      windows.get(window)?.add(sessionId);
      await source().join(sessionId, (history) => {
        window.sendSnapshot(serialise(requestId === undefined ? history : { ...history, requestId }));
        if (windows.get(window)?.has(sessionId)) watch(window, sessionId);
      });
    },
    unsubscribe,
    close() {
      if (heartbeat !== undefined) clock.clearTimeout(heartbeat);
      for (const window of windows.keys()) window.close('The server is shutting down.');
    },
  };
}

export function serialise(message: ServerMessage): Frame {
  return Buffer.from(JSON.stringify(message));
}
