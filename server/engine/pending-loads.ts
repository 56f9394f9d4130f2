import type { SessionId } from '../../shared/ids.ts';
import { createKeyedQueue } from '../keyed-queue.ts';
import { ProviderError } from './provider-errors.ts';

/** Loads in progress. The loads of one session run one after the other. */
export interface PendingLoads {
  run<T>(sessionId: SessionId, load: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts the loads of a session with CANCELLED. */
  cancel(sessionId: SessionId): void;
  cancelAll(): void;
  isAny(): boolean;
  /** Set while a session is being loaded. Resolves when its current loads have ended, and never rejects. */
  pending(sessionId: SessionId): Promise<void> | undefined;
}

export function createPendingLoads(): PendingLoads {
  const aborters = new Map<SessionId, Set<AbortController>>();
  const inOrder = createKeyedQueue();

  function cancel(sessionId: SessionId): void {
    for (const aborter of aborters.get(sessionId) ?? []) aborter.abort(new ProviderError('CANCELLED'));
  }

  return {
    run(sessionId, load) {
      const aborter = new AbortController();
      const ofSession = aborters.get(sessionId) ?? new Set();
      aborters.set(sessionId, ofSession.add(aborter));
      return inOrder(sessionId, async () => {
        aborter.signal.throwIfAborted();
        return load(aborter.signal);
      }).finally(() => {
        ofSession.delete(aborter);
        if (ofSession.size === 0) aborters.delete(sessionId);
      });
    },
    cancel,
    cancelAll() {
      for (const sessionId of [...aborters.keys()]) cancel(sessionId);
    },
    isAny: () => aborters.size > 0,
    pending: (sessionId) => (aborters.has(sessionId) ? inOrder(sessionId, async () => {}) : undefined),
  };
}
