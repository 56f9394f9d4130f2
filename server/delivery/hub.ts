import type { AgentStatusMessage, EventMessage, HistoryMessage } from '../../shared/events.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { ServerMessage, Subscription } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { Announcement } from '../sessions/open-session.ts';
import type { JoinedSession } from '../sessions/session-service.ts';
import { type Audience, createAudience } from './audience.ts';
import { type Frame, lazyFrame, serialise } from './frame.ts';
import type { Window } from './window.ts';

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

interface Registration {
  readonly sessions: Set<SessionId>;
  /** Snapshots that were not sent yet. */
  unread: number;
  /** The window gets one snapshot at a time. Resolves when the last one was sent. */
  turn: Promise<void>;
}

export function createHub({ clock, source, heartbeatMs }: HubDeps): Hub {
  const windows = new Map<Window, Registration>();
  const audiences = new Map<SessionId, Audience>();
  let heartbeat: unknown;

  function scheduleBeat(): void {
    heartbeat = clock.setTimeout(() => {
      for (const window of windows.keys()) window.beat();
      if (windows.size > 0) scheduleBeat();
      else heartbeat = undefined;
    }, heartbeatMs);
  }

  function stopWatching(window: Window, sessionId: SessionId): void {
    const audience = audiences.get(sessionId);
    audience?.remove(window);
    if (audience?.isEmpty()) audiences.delete(sessionId);
  }

  function unsubscribe(window: Window, sessionId: SessionId): void {
    windows.get(window)?.sessions.delete(sessionId);
    stopWatching(window, sessionId);
  }

  function watch(window: Window, subscription: Subscription, after: number): void {
    const { sessionId } = subscription;
    const audience = audiences.get(sessionId) ?? createAudience(clock);
    audiences.set(sessionId, audience);
    audience.add(window, subscription, after, () => source().watch(sessionId));
  }

  function sendSnapshot(window: Window, frame: Frame): Promise<void> {
    const registration = windows.get(window);
    if (registration === undefined) return window.sendSnapshot(frame);
    registration.unread += 1;
    return window.sendSnapshot(frame).then(() => {
      registration.unread -= 1;
    });
  }

  /** A session was opened again. A window that has not read a snapshot yet waits for its turn. */
  function announceHistory(audience: Audience, message: HistoryMessage): void {
    const frame = lazyFrame(message);
    for (const [window, subscription] of audience.restart(message.asOf)) {
      if (windows.get(window)?.unread === 0) void sendSnapshot(window, frame());
      else {
        stopWatching(window, message.sessionId);
        subscribe(window, { ...subscription, from: undefined }).catch(() => unsubscribe(window, message.sessionId));
      }
    }
  }

  function announceToAll(message: ServerMessage, except: Window | undefined): void {
    const frame = lazyFrame(message);
    for (const window of windows.keys()) if (window !== except) window.send(frame());
  }

  /** Returns the number of the last event that was sent, or undefined if the window has to have a snapshot. */
  function resume(
    window: Window,
    session: JoinedSession,
    { sessionId, from, appends }: Subscription,
    requestId?: string,
  ): number | undefined {
    const missed = from === undefined ? undefined : session.eventsSince(from, appends ?? false);
    if (missed === undefined || from === undefined) return undefined;
    for (const event of missed) window.send(serialise(event));
    const asOf = missed.at(-1)?.seq ?? from;
    const resumed: EventMessage = { type: 'session:resumed', sessionId, asOf, requestId };
    if (requestId !== undefined) window.send(serialise(resumed));
    return asOf;
  }

  /** Returns a promise that resolves when the snapshot, if there was one, was sent. */
  async function join(
    window: Window,
    subscription: Subscription,
    requestId?: string,
  ): Promise<{ sent: Promise<void> }> {
    const { sessionId } = subscription;
    let sent = Promise.resolve();
    await source().join(sessionId, (session) => {
      let after = resume(window, session, subscription, requestId);
      if (after === undefined) {
        const history = session.history();
        after = history.asOf;
        sent = sendSnapshot(window, serialise({ ...history, ...(requestId !== undefined && { requestId }) }));
      }
      if (windows.get(window)?.sessions.has(sessionId)) watch(window, subscription, after);
    });
    return { sent };
  }

  async function subscribe(window: Window, subscription: Subscription, requestId?: string): Promise<void> {
    const registration = windows.get(window);
    registration?.sessions.add(subscription.sessionId);
    // Loading takes its time and needs no turn.
    await source().join(subscription.sessionId, () => {});
    const joined = (registration?.turn ?? Promise.resolve()).then(() => join(window, subscription, requestId));
    if (registration !== undefined) {
      registration.turn = joined.then(({ sent }) => sent).catch(() => {});
    }
    await joined;
  }

  return {
    add(window) {
      windows.set(window, { sessions: new Set(), unread: 0, turn: Promise.resolve() });
      for (const status of source().agentStatuses()) window.send(serialise(status));
      if (heartbeat === undefined) scheduleBeat();
    },
    remove(window) {
      for (const sessionId of windows.get(window)?.sessions ?? []) unsubscribe(window, sessionId);
      windows.delete(window);
    },
    announce(announcement, except) {
      if (announcement.to === 'all') {
        announceToAll(announcement.message, except);
        return;
      }
      const { sessionId, message, append } = announcement;
      const audience = audiences.get(sessionId);
      if (audience === undefined) return;
      if (message.type === 'session:history') announceHistory(audience, message);
      else audience.announce(message, append);
    },
    subscribe,
    unsubscribe,
    close() {
      if (heartbeat !== undefined) clock.clearTimeout(heartbeat);
      for (const audience of audiences.values()) audience.close();
      for (const window of windows.keys()) window.close('The server is shutting down.');
    },
  };
}
