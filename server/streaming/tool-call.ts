import { isDeepStrictEqual } from 'node:util';
import type { Diff, ToolKind } from '../../shared/stream-contracts.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Emission, ItemFailure, ItemIdentity, OpenItem } from './open-item.ts';

export interface ToolCallFacts {
  readonly callId: string;
  readonly toolName: string;
  readonly toolArguments: Record<string, unknown>;
  readonly toolKind?: ToolKind | undefined;
  readonly diffs?: Diff[] | undefined;
  readonly toolOutput?: string | undefined;
  readonly toolOutputIsError?: boolean | undefined;
  readonly exitCode?: number | undefined;
  readonly background?: boolean | undefined;
}

export interface ToolEmission extends Emission {
  readonly facts: ToolCallFacts;
}

type ToolResult = Pick<ToolCallFacts, 'toolOutput' | 'toolOutputIsError' | 'exitCode' | 'diffs'>;

export interface ToolCall extends OpenItem {
  readonly kind: 'tool';
  readonly callId: string;
  show(sourceTimestamp: string): void;
  /** Sets the final arguments. Emits an update if updates are enabled and something changed. */
  refine(changes: Partial<ToolCallFacts>, sourceTimestamp: string): void;
  complete(result: ToolResult, sourceTimestamp: string): void;
  /** Ends as `error`, keeping its output. */
  break(result: ToolResult, failure: ItemFailure, sourceTimestamp: string): void;
  /** The agent's id of the work, once the call runs in the background. */
  readonly taskId: string | undefined;
  moveToBackground(taskId: string, sourceTimestamp: string): void;
  showOutput(toolOutput: string, sourceTimestamp: string): void;
}

export interface ToolCallOptions {
  readonly identity: ItemIdentity;
  readonly facts: ToolCallFacts;
  readonly emitUpdates: boolean;
  readonly emit: (emission: ToolEmission) => void;
}

const CANCELLED: ItemFailure = { code: 'CANCELLED', message: 'The turn ended before this call had a result.' };

export function createToolCall({ identity, facts: initial, emitUpdates, emit }: ToolCallOptions): ToolCall {
  let facts = frozenCopy(initial);
  let taskId: string | undefined;

  const push = (emission: Omit<ToolEmission, 'item' | 'facts'>) => emit({ item: identity, facts, ...emission });

  const merge = (changes: Partial<ToolCallFacts>): boolean => {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const merged = frozenCopy({ ...facts, ...Object.fromEntries(given) });
    const isChanged = !isDeepStrictEqual(merged, facts);
    facts = merged;
    return isChanged;
  };

  return {
    ...identity,
    kind: 'tool',
    callId: initial.callId,
    get taskId() {
      return taskId;
    },
    moveToBackground(id, sourceTimestamp) {
      taskId = id;
      if (merge({ background: true })) push({ status: 'update', sourceTimestamp });
    },
    showOutput(toolOutput, sourceTimestamp) {
      if (merge({ toolOutput })) push({ status: 'update', sourceTimestamp });
    },
    break(result, failure, sourceTimestamp) {
      merge(result);
      push({ status: 'error', sourceTimestamp, failure });
    },
    show: (sourceTimestamp) => push({ status: 'create', sourceTimestamp }),
    refine(changes, sourceTimestamp) {
      if (merge(changes) && emitUpdates) push({ status: 'update', sourceTimestamp });
    },
    complete(result, sourceTimestamp) {
      merge(result);
      push({ status: 'complete', sourceTimestamp });
    },
    fail: (failure, sourceTimestamp) => push({ status: 'error', sourceTimestamp, failure }),
    drop: () => {},
    endWithTurn(ending, sourceTimestamp) {
      if (ending === 'completed') push({ status: 'complete', sourceTimestamp });
      else push({ status: 'error', sourceTimestamp, failure: ending === 'cancelled' ? CANCELLED : ending });
    },
  };
}
