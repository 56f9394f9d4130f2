import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { finishCall, type ToolResult } from '../content/block-actions.ts';
import { type ContentBlock, readContent } from '../content/content-blocks.ts';
import { INTERRUPTED } from '../content/notices.ts';
import { type Translation, translateAll, translation } from '../content/translation.ts';
import { readUserText } from '../content/user-text.ts';
import { addNotice, type LiveState } from './live-state.ts';
import type { NativeMessageOf } from './native-messages.ts';
import { finishSubAgentCall } from './sub-agents.ts';

type UserMessage = NativeMessageOf<'user'>;

/** Messages in the user's name: results of tools, and what Claude Code says to the model. Our own are not repeated. */
export function translateUser(state: LiveState, message: UserMessage): Translation<LiveState> {
  return translateAll(state, readContent(message.message.content), (current, block) =>
    block.kind === 'result'
      ? translation(current, ...finish(current, message, block))
      : translateText(current, message, block),
  );
}

function finish(state: LiveState, message: UserMessage, result: ToolResult): readonly StreamAction[] {
  const detailed = { ...result, details: message.tool_use_result };
  if (message.parent_tool_use_id !== null) return finishSubAgentCall(state, message.parent_tool_use_id, detailed);
  return state.turn === undefined ? [] : [finishCall({ turnId: state.turn.turnId }, detailed)];
}

function translateText(state: LiveState, message: UserMessage, block: ContentBlock): Translation<LiveState> {
  if (block.kind !== 'text' || message.parent_tool_use_id !== null) return translation(state);
  const read = readUserText(block.text);
  switch (read.kind) {
    case 'interrupted':
      return addNotice({ ...state, isInterrupted: true }, 'interrupted', INTERRUPTED);
    case 'output':
      return addNotice(state, 'notice', read.text);
    case 'said':
    case 'woken':
      return translation(state);
  }
}
