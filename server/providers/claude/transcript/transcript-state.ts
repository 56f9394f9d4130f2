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
  /** The agent started the turn by itself. */
  readonly isOwnTurn: boolean;
  /** Why the agent is about to start a turn by itself. */
  readonly cause: string;
  /** A manual compaction is recorded before the command that requested it. */
  readonly hasCompacted: boolean;
  /** Texts of queued messages, to split those that were merged later. */
  readonly enqueued: readonly string[];
}

export const initialTranscriptState: TranscriptState = {
  turn: undefined,
  message: undefined,
  isOwnTurn: false,
  cause: '',
  hasCompacted: false,
  enqueued: [],
};

export type TranscriptInTurn = TranscriptState & { readonly turn: TurnScope };

export function beginTurn(state: TranscriptState, turnId: string): TranscriptInTurn {
  return { ...state, turn: openScope(turnId), message: undefined, isOwnTurn: false };
}

/** The running turn, or a new one that the agent starts with this message. */
export function continueTurn(state: TranscriptState, messageId: string): Translation<TranscriptInTurn> {
  const { turn } = state;
  if (turn !== undefined) return translation({ ...state, turn });
  const turnId = ownTurnId(messageId);
  const begun = { ...beginTurn(state, turnId), isOwnTurn: true, cause: '' };
  return translation(begun, ...showCause(turnId, state.cause));
}

export function addNotice(state: TranscriptState, kind: NoticeKind, content: string): Translation<TranscriptState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  const { turnId } = scope;
  return translation({ ...state, turn: scope }, { do: 'message', turnId, itemId, origin: 'system', content });
}

export interface SentMessage {
  readonly turnId: string;
  readonly content: string;
}

/**
 * Claude Code merges messages that waited together into one entry, which has their ids but not their boundaries. The
 * queue entries before it have the separate texts. If they do not match, the whole text counts as the last message.
 */
export function splitMergedMessage(
  turnIds: readonly string[],
  content: string,
  enqueued: readonly string[],
): readonly SentMessage[] {
  const last = turnIds.at(-1);
  if (last === undefined) return [];
  for (let start = enqueued.length - turnIds.length; start >= 0; start -= 1) {
    const parts = enqueued.slice(start, start + turnIds.length);
    if (parts.join('\n') === content) {
      return turnIds.map((turnId, index) => ({ turnId, content: parts[index] ?? '' }));
    }
  }
  return [{ turnId: last, content }];
}
