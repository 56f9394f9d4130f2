import type { Diff, ToolKind } from '../../shared/stream-contracts.ts';
import type { Usage } from '../../shared/stream-events.ts';

export type Origin = 'user' | 'agent' | 'system';

/**
 *  The instructions that a translation gives to the core. A translation is a pure function from an agent's native event
 * to a list of these actions. Only the core buffers, batches, correlates and ends items.
 *
 * Rules that the core enforces, so that translations need not:
 * - an action for an item, call or turn that has ended, or for an item or call that never started, is ignored (except
 *   `tool_done` for an unknown call, which is shown);
 * - a turn that was not started begins with its first action, even if that ends it;
 * - a turn ends once; the core then ends its open items and calls;
 * - item ids are unique within a session, call ids within a turn;
 * - `turn_started` is emitted before everything else in the turn except the user's message, at the latest when the turn
 *   ends.
 */
export type StreamAction =
  /** `providerId`: only if it differs from the session's. */
  | { do: 'turn_start'; turnId: string; modelId?: string; providerId?: string }
  /** A complete message: the user's, or a system notice. */
  | {
      do: 'message';
      turnId: string;
      itemId: string;
      origin: Origin;
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
  /** The given values are final: `content` replaces the buffered text, the others replace the defaults. */
  | { do: 'item_done'; itemId: string; content?: string; origin?: Origin; providerId?: string }
  | { do: 'item_error'; itemId: string; code: string; message: string }
  /** Drops the item: nothing more is emitted for it. */
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
  /** Sets the final arguments. Live sessions emit one `update`; the processor emits nothing. */
  | {
      do: 'tool_arguments';
      callId: string;
      arguments: Record<string, unknown>;
      diffs?: Diff[];
      toolKind?: ToolKind;
      /** Required only if concurrent turns may use the same call ids. */
      turnId?: string;
    }
  | {
      do: 'tool_done';
      turnId: string;
      callId: string;
      output: string;
      isError: boolean;
      exitCode?: number;
      diffs?: Diff[];
      /** The call was broken off: it ends as `error` with this reason and keeps its output. */
      failure?: { readonly code: string; readonly message: string };
      /** Used only when the call is unknown. */
      itemId?: string;
      parentItemId?: string;
    }
  /**
   * Moves the call to the background: it and its steps stay open until `tool_done`, even after the turn has ended.
   * `taskId` is the agent's id of the work, used to stop it.
   */
  | { do: 'tool_background'; callId: string; taskId: string; turnId?: string }
  /** Sets the output of a running call to its current tail. */
  | { do: 'tool_output'; callId: string; output: string; turnId?: string }
  | {
      do: 'turn_done';
      turnId: string;
      status: 'completed' | 'cancelled';
      usage?: Usage;
      stopReason?: string;
    }
  | { do: 'turn_error'; turnId: string; code: string; message: string };

export type ActionOf<D extends StreamAction['do']> = Extract<StreamAction, { do: D }>;

/** An action and the time of the native event that caused it. */
export interface TimedAction {
  readonly action: StreamAction;
  readonly sourceTimestamp: string;
}
