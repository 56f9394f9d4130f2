import { z } from 'zod';
import type { PermissionDecision } from '../permissions.ts';

export const permissionRequestSchema = z.object({
  sessionId: z.string(),
  toolCall: z.object({
    toolCallId: z.string(),
    title: z.string().nullish().catch(undefined),
    name: z.string().nullish().catch(undefined),
    kind: z.string().nullish().catch(undefined),
    rawInput: z.unknown().optional(),
  }),
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })).min(1),
});
export type AcpPermissionRequest = z.infer<typeof permissionRequestSchema>;

export type PermissionOutcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };

/**
 * Once before always: each request is decided here anew, and "always" would also write the rule into the user's own
 * settings of that agent.
 */
const ALLOWING = ['allow_once', 'allow_always'] as const;
const REJECTING = ['reject_once', 'reject_always'] as const;

/**
 * The agent's own option for a decision. `undefined`: the question is no longer wanted, because its turn was cancelled.
 * A denial is answered with `cancelled` only where the agent offers no way to reject.
 */
export function answerPermission(
  decision: PermissionDecision | undefined,
  options: AcpPermissionRequest['options'],
): PermissionOutcome {
  if (decision === undefined) return { outcome: 'cancelled' };
  for (const kind of decision.allow ? ALLOWING : REJECTING) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}
