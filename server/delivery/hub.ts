import type { AgentStatusMessage, EventMessage } from '../../shared/events.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { ServerMessage, Subscription } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { Announcement } from '../sessions/open-session.ts';
import type { JoinedSession } from '../sessions/session-service.ts';
import type { Frame, Window } from './window.ts';

/** What delivery needs from the sessions. */
export interface SessionSource {
  join(sessionId: SessionId, take: (session: JoinedSession) => void): Promise<void>;
  watch(sessionId: SessionId): () => void;
  agentStatuses(): readonly AgentStatusMessage[];
}

/** All windows and their subscriptions. A message is serialised once for all its receivers. */
export interface Hub {
  /** Sends the window the status of the agents, then everything that is announced to all windows. */
  add(window: Window): void;
  remove(window: Window): void;
  announce(announcement: Announcement, except?: Window): void;
  /**
   * Sends the events after `from` if they are still known, else a snapshot; then everything later, in order. Again for a
   * window that subscribed before.
   */
  subscribe(window: Window, subscription: Subscription, requestId?: string): Promise<void>;
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

interface Watcher {
  readonly appends: boolean;
  readonly stop: () => void;
}

export function createHub({ clock, source, heartbeatMs }: HubDeps): Hub {
  /** Every window with its subscriptions. */
  const windows = new Map<Window, Set<SessionId>>();
  const watchers = new Map<SessionId, Map<Window, Watcher>>();
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
    watching?.get(window)?.stop();
    watching?.delete(window);
    if (watching?.size === 0) watchers.delete(sessionId);
  }

  function watch(window: Window, { sessionId, appends = false }: Subscription): void {
    const watching = watchers.get(sessionId) ?? new Map<Window, Watcher>();
    watchers.set(sessionId, watching);
    watching.set(window, { appends, stop: watching.get(window)?.stop ?? source().watch(sessionId) });
  }

  function announceToSession({ sessionId, message, append }: Extract<Announcement, { to: 'session' }>): void {
    const whole = lazyFrame(message);
    const growth = append && lazyFrame(append);
    for (const [window, { appends }] of watchers.get(sessionId) ?? []) {
      if (message.type === 'session:history') window.sendSnapshot(whole());
      else window.send(appends && growth !== undefined ? growth() : whole());
    }
  }

  function announceToAll(message: ServerMessage, except: Window | undefined): void {
    const frame = lazyFrame(message);
    for (const window of windows.keys()) if (window !== except) window.send(frame());
  }

  /** Returns false if the window has to have a snapshot. */
  function resume(
    window: Window,
    session: JoinedSession,
    { sessionId, from, appends }: Subscription,
    requestId?: string,
  ) {
    const missed = from === undefined ? undefined : session.eventsSince(from, appends ?? false);
    if (missed === undefined || from === undefined) return false;
    for (const event of missed) window.send(serialise(event));
    const resumed: EventMessage = { type: 'session:resumed', sessionId, asOf: missed.at(-1)?.seq ?? from, requestId };
    if (requestId !== undefined) window.send(serialise(resumed));
    return true;
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
      if (announcement.to === 'all') announceToAll(announcement.message, except);
      else announceToSession(announcement);
    },
    async subscribe(window, subscription, requestId) {
      const { sessionId } = subscription;
      windows.get(window)?.add(sessionId);
      await source().join(sessionId, (session) => {
        if (!resume(window, session, subscription, requestId)) {
          window.sendSnapshot(serialise({ ...session.history(), ...(requestId !== undefined && { requestId }) }));
        }
        if (windows.get(window)?.has(sessionId)) watch(window, subscription);
      });
    },
    unsubscribe,
    close() {
      if (heartbeat !== undefined) clock.clearTimeout(heartbeat);
      for (const window of windows.keys()) window.close('The server is shutting down.');
    },
  };
}

/** Made when the first window needs it, and once for all of them. */
function lazyFrame(message: ServerMessage): () => Frame {
  let frame: Frame | undefined;
  return () => {
    frame ??= serialise(message);
    return frame;
  };
}

export function serialise(message: ServerMessage): Frame {
  return Buffer.from(JSON.stringify(message));
}
