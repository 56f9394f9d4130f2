import { type Translation, translation } from '../content/translation.ts';
import {
  type NoticeKind,
  nextNotice,
  openScope,
  ownTurnId,
  showCause,
  type TurnScope,
  type WholeMessage,
} from '../content/turn-scope.ts';

export interface TranscriptState {
  readonly turn: TurnScope | undefined;
  readonly message: WholeMessage | undefined;
  /** The agent began the turn by itself. */
  readonly isOwnTurn: boolean;
  /** Why the agent is about to begin a turn by itself. */
  readonly wakeReason: string;
  /** A compaction that the user asked for stands before the command that asked for it. */
  readonly hasCompacted: boolean;
  /** Messages as they were put into the queue, for those that were merged later. */
  readonly enqueued: readonly string[];
}

export const initialTranscriptState: TranscriptState = {
  turn: undefined,
  message: undefined,
  isOwnTurn: false,
  wakeReason: '',
  hasCompacted: false,
  enqueued: [],
};

export type TranscriptInTurn = TranscriptState & { readonly turn: TurnScope };

export function beginTurn(state: TranscriptState, turnId: string): TranscriptInTurn {
  return { ...state, turn: openScope(turnId), message: undefined, isOwnTurn: false };
}

/** The running turn, else one that the agent begins with this message. */
export function continueTurn(state: TranscriptState, messageId: string): Translation<TranscriptInTurn> {
  const { turn } = state;
  if (turn !== undefined) return translation({ ...state, turn });
  const turnId = ownTurnId(messageId);
  const begun = { ...beginTurn(state, turnId), isOwnTurn: true, wakeReason: '' };
  return translation(begun, ...showCause(turnId, state.wakeReason));
}

export function addNotice(state: TranscriptState, kind: NoticeKind, content: string): Translation<TranscriptState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  const { turnId } = scope;
  return translation({ ...state, turn: scope }, { do: 'message', turnId, itemId, origin: 'system', content });
}
