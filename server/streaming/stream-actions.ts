import type { Diff, ToolKind } from '../../shared/stream-contracts.ts';
import type { Usage } from '../../shared/stream-events.ts';

/**
 * What a translation may ask of the core, whatever the agent's native events look like. A translation is a pure
 * function from a native event to a list of these; the core alone buffers, batches, correlates and ends things.
 *
 * Rules the core keeps, so that translations need not:
 * - an action for an item, call or turn that has already ended, or that was never started, changes nothing
 *   (except `tool_done` for an unknown call, which still shows);
 * - a turn ends once; items and calls still open at that moment are ended by the core's terminal rules;
 * - `turn_started` is emitted before anything else of the turn except the user's own message, at the latest when
 *   the turn ends.
 */
export type StreamAction =
  | { do: 'turn_start'; turnId: string; modelId?: string }
  /** A whole message at once: the user's own, or a notice of the system. Ends as it starts. */
  | {
      do: 'message';
      turnId: string;
      itemId: string;
      origin: 'user' | 'agent' | 'system';
      content: string;
      parentItemId?: string;
    }
  | {
      do: 'item_start';
      turnId: string;
      itemId: string;
      kind: 'message' | 'thinking';
      content?: string;
      parentItemId?: string;
    }
  | { do: 'item_delta'; itemId: string; text: string }
  /** `content`, when given, is the final text and replaces what was gathered. */
  | { do: 'item_done'; itemId: string; content?: string }
  | { do: 'item_error'; itemId: string; code: string; message: string }
  /** Dropped without a word: nothing more is emitted for it. */
  | { do: 'item_cancel'; itemId: string }
  | {
      do: 'tool_start';
      turnId: string;
      itemId: string;
      callId: string;
      name: string;
      arguments?: Record<string, unknown>;
      toolKind?: ToolKind;
      diffs?: Diff[];
      parentItemId?: string;
    }
  /** The arguments are final. Live providers emit one `update` for it; the processor emits nothing. */
  | { do: 'tool_arguments'; callId: string; arguments: Record<string, unknown>; diffs?: Diff[]; toolKind?: ToolKind }
  | {
      do: 'tool_done';
      turnId: string;
      callId: string;
      output: string;
      isError: boolean;
      exitCode?: number;
      diffs?: Diff[];
      /** Used only when the call is unknown. */
      itemId?: string;
      parentItemId?: string;
    }
  | {
      do: 'turn_done';
      turnId: string;
      status: 'completed' | 'cancelled';
      usage?: Usage;
      stopReason?: string;
    }
  | { do: 'turn_error'; turnId: string; code: string; message: string };

/** An action together with the time of the native event that caused it. */
export interface TimedAction {
  readonly action: StreamAction;
  readonly sourceTimestamp: string;
}
