import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { Environment } from '../base/environment.ts';

/** An agent may have fallen asleep meanwhile. */
const AGAIN_AFTER_MS = 60_000;

/** Looking starts no process, so the agent is started while the user types. */
export function createWarmUp({ now }: Pick<Environment, 'now'>, post: (message: PortletToShell) => void): () => void {
  let doneAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - doneAt < AGAIN_AFTER_MS) return;
    doneAt = now();
    post({ type: 'session:warm' });
  };
}
