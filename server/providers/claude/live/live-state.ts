import type { ContentBlock } from '../content/content-blocks.ts';
import { type Translation, translation } from '../content/translation.ts';
import { type NoticeKind, nextNotice, openScope, type TurnScope, type WholeMessage } from '../content/turn-scope.ts';

/** A block of the message that is being streamed, until the agent repeats it whole. */
export interface StreamedBlock {
  readonly index: number;
  readonly itemId: string;
  readonly kind: ContentBlock['kind'];
  readonly isConfirmed: boolean;
}

export interface StreamedMessage {
  readonly id: string;
  readonly ordinal: number;
  readonly blocks: readonly StreamedBlock[];
}

/** Who works under a tool call. */
export interface SubAgent {
  readonly turnId: string;
  readonly itemId: string;
  readonly message: WholeMessage | undefined;
}

export interface LiveState {
  /** The turn that new items belong to; none between turns. */
  readonly turn: TurnScope | undefined;
  /** The turn that the agent began by itself and that has not ended. */
  readonly ownTurnId: string | undefined;
  readonly modelId: string | undefined;
  readonly streamed: StreamedMessage | undefined;
  readonly whole: WholeMessage | undefined;
  /** By the id of their call. */
  readonly subAgents: ReadonlyMap<string, SubAgent>;
  /** Messages that the last compaction kept: the agent may say them again. */
  readonly keptMessages: ReadonlySet<string>;
  readonly isInterrupted: boolean;
  /** The words of an API error, until the result tells what became of it. */
  readonly apiError: string | undefined;
  /** Why the agent is about to begin a turn by itself. */
  readonly wakeReason: string | undefined;
}

const BETWEEN_TURNS = {
  turn: undefined,
  ownTurnId: undefined,
  streamed: undefined,
  whole: undefined,
  isInterrupted: false,
  apiError: undefined,
} as const;

export const initialLiveState: LiveState = {
  ...BETWEEN_TURNS,
  modelId: undefined,
  subAgents: new Map(),
  keptMessages: new Set(),
  wakeReason: undefined,
};

export type StateInTurn = LiveState & { readonly turn: TurnScope };

/** A turn that is running already goes on: its numbering must not begin anew. */
export function enterTurn(state: LiveState, turnId: string): StateInTurn {
  const { turn, ownTurnId } = state;
  if (turn?.turnId === turnId) return { ...state, turn };
  return { ...state, ...BETWEEN_TURNS, ownTurnId, turn: openScope(turnId) };
}

export const leaveTurn = (state: LiveState): LiveState => ({ ...state, ...BETWEEN_TURNS });

/** A notice of the system in the running turn. Between turns there is nowhere to show it. */
export function addNotice(state: LiveState, kind: NoticeKind, content: string): Translation<LiveState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  return translation(
    { ...state, turn: scope },
    { do: 'message', turnId: scope.turnId, itemId, origin: 'system', content },
  );
}
