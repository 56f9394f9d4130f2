import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { PermissionDecision } from '../../../engine/permission.ts';

export type PermissionOutcome = RequestPermissionOutcome;

/**
 * Once before always: each request is decided here anew, and "always" would also write a rule into the user's own
 * settings of that agent.
 */
const ALLOWING: readonly PermissionOption['kind'][] = ['allow_once', 'allow_always'];
const REJECTING: readonly PermissionOption['kind'][] = ['reject_once', 'reject_always'];

/**
 * The agent's own option for a decision. `undefined`: the question is no longer wanted, because its turn was cancelled.
 * A denial is answered with `cancelled` only where the agent offers no way to reject.
 */
export function answerPermission(
  decision: PermissionDecision | undefined,
  options: readonly Pick<PermissionOption, 'optionId' | 'kind'>[],
): PermissionOutcome {
  if (decision === undefined) return { outcome: 'cancelled' };
  for (const kind of decision.allow ? ALLOWING : REJECTING) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}
