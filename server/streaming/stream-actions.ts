import type { Diff, ToolKind } from '../../shared/stream-contracts.ts';
import type { Usage } from '../../shared/stream-events.ts';

export type Origin = 'user' | 'agent' | 'system';

/**
 * What a translation may ask of the core, whatever the agent's native events look like. A translation is a pure
 * function from a native event to a list of these; the core alone buffers, batches, correlates and ends things.
 *
 * Rules the core keeps, so that translations need not:
 * - an action for an item or call that has already ended, or that was never started, changes nothing (except
 *   `tool_done` for an unknown call, which still shows); so does one for a turn that has already ended;
 * - a turn that was not started begins with the first thing that happens in it, even if that is its end;
 * - a turn ends once; items and calls still open at that moment are ended by the core's terminal rules;
 * - item ids are unique within a session, call ids within a turn;
 * - `turn_started` is emitted before anything else of the turn except the user's own message, at the latest when
 *   the turn ends.
 */
export type StreamAction =
  /** `providerId` where it is not the one of the session. */
  | { do: 'turn_start'; turnId: string; modelId?: string; providerId?: string }
  /** A whole message at once: the user's own, or a notice of the system. Ends as it starts. */
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
  /** What is given is final: `content` replaces what was gathered, the others what was assumed (`agent`, the turn's). */
  | { do: 'item_done'; itemId: string; content?: string; origin?: Origin; providerId?: string }
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
  | {
      do: 'tool_arguments';
      callId: string;
      arguments: Record<string, unknown>;
      diffs?: Diff[];
      toolKind?: ToolKind;
      /** Needed only where turns that run at the same time may use the same call ids. */
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
      /** The call did not come to its own end: it ends as `error` with this, keeping its output. */
      failure?: { readonly code: string; readonly message: string };
      /** Used only when the call is unknown. */
      itemId?: string;
      parentItemId?: string;
    }
  /**
   * The call goes on beside the conversation, also after its turn has ended: it and the steps under it stay open until
   * `tool_done`. `taskId` is the agent's name for the work, by which it can be stopped.
   */
  | { do: 'tool_background'; callId: string; taskId: string; turnId?: string }
  /** The output of a call that still runs: its tail, whole each time. */
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

/** An action together with the time of the native event that caused it. */
export interface TimedAction {
  readonly action: StreamAction;
  readonly sourceTimestamp: string;
}
