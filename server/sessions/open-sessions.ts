import type { SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { OpenSession } from './open-session.ts';

/**
 * The sessions in memory. A session without windows, turns and background work is evicted after a while and loaded
 * again when needed. Concurrent loads of a session share one load.
 */
export interface OpenSessions {
  get(sessionId: SessionId): OpenSession | undefined;
  ids(): SessionId[];
  isLoading(sessionId: SessionId): boolean;
  /** Returns the open session, joins a load in progress, or loads it with `open`. */
  ensure(sessionId: SessionId, open: () => Promise<OpenSession>): Promise<OpenSession>;
  /** Resolves when no load of the session is in progress. Never rejects. */
  settled(sessionId: SessionId): Promise<void>;
  drop(sessionId: SessionId): void;
  /** Keeps a session in memory until the returned function is called. */
  watch(sessionId: SessionId): () => void;
  /** Call it when a turn or background work has ended: the session may be evictable now. */
  touch(sessionId: SessionId): void;
  close(): void;
}

export interface OpenSessionsOptions {
  readonly clock: Clock;
  readonly evictAfterMs: number;
  /** Called when a load begins or ends and when a session is evicted. */
  readonly onChange: (sessionId: SessionId) => void;
}

export function createOpenSessions({ clock, evictAfterMs, onChange }: OpenSessionsOptions): OpenSessions {
  const sessions = new Map<SessionId, OpenSession>();
  const loads = new Map<SessionId, Promise<OpenSession>>();
  const watchers = new Map<SessionId, number>();
  const evictions = new Map<SessionId, unknown>();
  let isClosed = false;

  function keep(sessionId: SessionId): void {
    const handle = evictions.get(sessionId);
    if (handle === undefined) return;
    clock.clearTimeout(handle);
    evictions.delete(sessionId);
  }

  function letGo(sessionId: SessionId): boolean {
    keep(sessionId);
    sessions.get(sessionId)?.release();
    return sessions.delete(sessionId);
  }

  function drop(sessionId: SessionId): void {
    if (letGo(sessionId)) onChange(sessionId);
  }

  function touch(sessionId: SessionId): void {
    keep(sessionId);
    if (isClosed || (watchers.get(sessionId) ?? 0) > 0 || !sessions.has(sessionId)) return;
    const evict = () => {
      evictions.delete(sessionId);
      const session = sessions.get(sessionId);
      if (session?.isRunning() === false && session.backgroundCount() === 0) drop(sessionId);
    };
    evictions.set(sessionId, clock.setTimeout(evict, evictAfterMs));
  }

  return {
    get: (sessionId) => sessions.get(sessionId),
    ids: () => [...sessions.keys()],
    isLoading: (sessionId) => loads.has(sessionId),
    ensure(sessionId, open) {
      const known = sessions.get(sessionId);
      if (known !== undefined) return Promise.resolve(known);
      const underWay = loads.get(sessionId);
      if (underWay !== undefined) return underWay;
      const load = open()
        .then((session) => {
          sessions.set(sessionId, session);
          return session;
        })
        .finally(() => {
          loads.delete(sessionId);
          touch(sessionId);
          onChange(sessionId);
        });
      loads.set(sessionId, load);
      onChange(sessionId);
      return load;
    },
    async settled(sessionId) {
      await loads.get(sessionId)?.catch(() => undefined);
    },
    drop,
    watch(sessionId) {
      watchers.set(sessionId, (watchers.get(sessionId) ?? 0) + 1);
      keep(sessionId);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        const left = (watchers.get(sessionId) ?? 1) - 1;
        if (left > 0) watchers.set(sessionId, left);
        else watchers.delete(sessionId);
        touch(sessionId);
      };
    },
    touch,
    close() {
      isClosed = true;
      for (const sessionId of [...sessions.keys()]) letGo(sessionId);
    },
  };
}
