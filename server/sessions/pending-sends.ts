import { AppError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';

/** Messages that have not reached their agent yet, so that a cancel or a kill can stop them. */
export interface PendingSends {
  /** Aborted with CANCELLED by the next cancel or kill of the session. */
  signal(sessionId: SessionId): AbortSignal;
  /** Stops every message that was taken before. */
  cancel(sessionId: SessionId): void;
}

export function createPendingSends(): PendingSends {
  const controllers = new Map<SessionId, AbortController>();

  return {
    signal(sessionId) {
      const controller = controllers.get(sessionId) ?? new AbortController();
      controllers.set(sessionId, controller);
      return controller.signal;
    },
    cancel(sessionId) {
      controllers.get(sessionId)?.abort(new AppError('CANCELLED'));
      controllers.delete(sessionId);
    },
  };
}
