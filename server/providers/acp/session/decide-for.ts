import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { type CliType, toCanonical } from '../../../../shared/ids.ts';
import type { DecidePermission, PermissionDecision } from '../../../engine/permission.ts';
import { answerPermission, type PermissionOutcome } from '../connection/permission.ts';
import type { SessionBook } from './session-index.ts';

/** Puts an agent's question to the one place that decides, and its decision into the agent's own options. */
export async function decideFor(
  { sessionId: nativeId, toolCall, options }: RequestPermissionRequest,
  cliType: CliType,
  book: SessionBook,
  decidePermission: DecidePermission,
): Promise<PermissionOutcome> {
  const opened = book.findByNativeId(nativeId);
  const { name, title, kind, rawInput } = toolCall;
  const decision = decidePermission({
    // A sub-agent may ask under a name of its own.
    sessionId: opened?.sessionId ?? toCanonical(cliType, nativeId),
    toolName: name ?? kind ?? 'tool',
    ...(title != null && { title }),
    input: typeof rawInput === 'object' && rawInput !== null ? { ...rawInput } : {},
  }).catch((): PermissionDecision => ({ allow: false, reason: 'The question could not be decided.' }));
  return answerPermission(opened === undefined ? await decision : await opened.session.ask(decision), options);
}
