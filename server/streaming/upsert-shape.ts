import type { SessionId } from '../../shared/ids.ts';
import type { MessageUpsert, ThinkingUpsert, ToolCallUpsert, UpsertObject } from '../../shared/stream-contracts.ts';
import type { Emission } from './open-item.ts';
import type { TextEmission } from './text-item.ts';
import type { ToolEmission } from './tool-call.ts';

export interface UpsertStamp {
  readonly sessionId: SessionId;
  readonly emittedAt: string;
}

export function toMessageUpsert(emission: TextEmission, stamp: UpsertStamp): MessageUpsert {
  const { content, final } = emission;
  return { ...base(emission, stamp), type: 'message', content, origin: final?.origin ?? 'agent' };
}

export function toThinkingUpsert(emission: TextEmission, stamp: UpsertStamp, providerId: string): ThinkingUpsert {
  const { content, final } = emission;
  return { ...base(emission, stamp), type: 'thinking', content, providerId: final?.providerId ?? providerId };
}

export function toToolCallUpsert(emission: ToolEmission, stamp: UpsertStamp): ToolCallUpsert {
  const { callId, toolName, toolArguments, toolOutput, toolOutputIsError, toolKind, diffs, exitCode, background } =
    emission.facts;
  return {
    ...base(emission, stamp),
    type: 'tool_call',
    toolName,
    toolArguments,
    callId,
    ...(toolOutput !== undefined && { toolOutput }),
    ...(toolOutputIsError !== undefined && { toolOutputIsError }),
    ...(toolKind !== undefined && { toolKind }),
    ...(diffs !== undefined && { diffs }),
    ...(exitCode !== undefined && { exitCode }),
    ...(background !== undefined && { background }),
  };
}

type UpsertBase = Omit<MessageUpsert, 'type' | 'content' | 'origin'> & Pick<UpsertObject, 'status'>;

function base({ item, status, sourceTimestamp, failure }: Emission, { sessionId, emittedAt }: UpsertStamp): UpsertBase {
  return {
    turnId: item.turnId,
    sessionId,
    itemId: item.itemId,
    sourceTimestamp,
    emittedAt,
    status,
    ...(failure !== undefined && { errorCode: failure.code, errorMessage: failure.message }),
    ...(item.parentItemId !== undefined && { parentItemId: item.parentItemId }),
  };
}
