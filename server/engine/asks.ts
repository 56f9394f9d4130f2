import type { SessionId } from '../../shared/ids.ts';
import { createDeferred } from '../deferred.ts';
import type { Access, DecidePermission, PermissionDecision, PermissionRequest } from './permission.ts';

/** Open permission requests of an agent. */
export interface Asks {
  /** Resolves to undefined if the request is aborted. Never rejects. */
  ask(
    request: Omit<PermissionRequest, 'sessionId' | 'access'>,
    access: Access,
  ): Promise<PermissionDecision | undefined>;
  isOpen(): boolean;
  /** Aborts all open requests. */
  abort(): void;
}

const UNDECIDED: PermissionDecision = { allow: false, reason: 'The question could not be decided.' };

export function createAsks(sessionId: SessionId, decide: DecidePermission, onAnswer: () => void): Asks {
  const open = new Set<() => void>();

  return {
    async ask(request, access) {
      const { promise: aborted, resolve: abort } = createDeferred<undefined>();
      const give = () => abort(undefined);
      open.add(give);
      try {
        return await Promise.race([decide({ ...request, sessionId, access }).catch(() => UNDECIDED), aborted]);
      } finally {
        open.delete(give);
        onAnswer();
      }
    },
    isOpen: () => open.size > 0,
    abort() {
      for (const give of [...open]) give();
    },
  };
}
