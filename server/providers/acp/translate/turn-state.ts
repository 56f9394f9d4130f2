import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { CallState } from './call-state.ts';
import type { PlanEntry } from './session-update.ts';

/** The message or thought that is being written. */
export interface OpenText {
  readonly itemId: string;
  readonly kind: 'message' | 'thinking';
  readonly messageId: string | undefined;
}

/** What the translation remembers of a turn. A state that was passed in must not be used again: see `calls`. */
export interface TurnState {
  readonly turnId: string;
  /** The number of items so far, which is the ordinal of the next one. */
  readonly itemCount: number;
  readonly text: OpenText | undefined;
  /** Updated in place. Copying it for every report would make a turn with many calls quadratic. */
  readonly calls: Map<string, CallState>;
  readonly plan: readonly PlanEntry[] | undefined;
  /** A notice that may turn out to be the reason why the turn failed. */
  readonly heldNotice: string | undefined;
  /** The agent reported that the model failed. The response to the prompt does not say so. */
  readonly hasFailed: boolean;
}

export interface Step {
  readonly state: TurnState;
  readonly actions: readonly StreamAction[];
}

export function newTurn(turnId: string): TurnState {
  return {
    turnId,
    itemCount: 0,
    text: undefined,
    calls: new Map(),
    plan: undefined,
    heldNotice: undefined,
    hasFailed: false,
  };
}

export function nextItemId({ turnId, itemCount }: TurnState): string {
  return `${turnId}:${itemCount}:0`;
}

/** Does one step of a translation after another. */
export function andThen({ state, actions }: Step, next: (state: TurnState) => Step): Step {
  const following = next(state);
  if (actions.length === 0) return following;
  return { state: following.state, actions: [...actions, ...following.actions] };
}

/** Ends the open message or thought, because something else follows. */
export function closeText(state: TurnState): Step {
  if (state.text === undefined) return { state, actions: [] };
  return { state: { ...state, text: undefined }, actions: [{ do: 'item_done', itemId: state.text.itemId }] };
}

/** Adds a whole message of the system. */
export function addNotice(state: TurnState, content: string): Step {
  return andThen(closeText(state), (closed) => ({
    state: { ...closed, itemCount: closed.itemCount + 1 },
    actions: [{ do: 'message', turnId: closed.turnId, itemId: nextItemId(closed), origin: 'system', content }],
  }));
}
