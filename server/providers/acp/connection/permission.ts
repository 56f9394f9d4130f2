import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { PermissionDecision, PermissionRequest } from '../../../engine/permission.ts';

export type PermissionOutcome = RequestPermissionOutcome;

/** Undefined when nobody waits for the decision any more. */
export type AskPermission = (
  request: Omit<PermissionRequest, 'sessionId' | 'access'>,
) => Promise<PermissionDecision | undefined>;

/**
 * Once before always: every request is decided here, and "always" would also write a rule into the user's own settings
 * of that agent.
 */
const ALLOWING: readonly PermissionOption['kind'][] = ['allow_once', 'allow_always'];
const REJECTING: readonly PermissionOption['kind'][] = ['reject_once', 'reject_always'];

/** Asks for a decision and answers with one of the agent's own options. */
export async function answerPermissionRequest(
  { toolCall, options }: RequestPermissionRequest,
  ask: AskPermission,
): Promise<PermissionOutcome> {
  const { name, title, kind, rawInput } = toolCall;
  const decision = await ask({
    toolName: name ?? kind ?? 'tool',
    ...(title != null && { title }),
    input: typeof rawInput === 'object' && rawInput !== null ? { ...rawInput } : {},
  });
  return chooseOption(decision, options);
}

/**
 * The agent's own option for a decision. Without a decision the request is answered with `cancelled`. So is a denial,
 * but only where the agent offers no option to reject: it would end the whole turn.
 */
export function chooseOption(
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
