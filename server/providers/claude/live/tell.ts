import type { LiveState } from './live-state.ts';
import { type Translation, translation } from '../content/translation.ts';
import { type NoticeKind, nextNotice } from '../content/turn-scope.ts';

/** A notice of the system in the running turn. Between turns there is no one to tell. */
export function tell(state: LiveState, kind: NoticeKind, content: string): Translation<LiveState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  return translation(
    { ...state, turn: scope },
    { do: 'message', turnId: scope.turnId, itemId, origin: 'system', content },
  );
}
