import { readLaunch } from '../content/background-tasks.ts';
import { finishCall, type ToolResult } from '../content/block-actions.ts';
import { type ContentBlock, readContent } from '../content/content-blocks.ts';
import { INTERRUPTED } from '../content/notices.ts';
import { type Translation, translateAll, translation } from '../content/translation.ts';
import { readUserText } from '../content/user-text.ts';
import { confirmLaunch } from './background.ts';
import { addNotice, type LiveState } from './live-state.ts';
import type { NativeMessageOf } from './native-messages.ts';
import { callOfSubAgent, findSubAgent } from './sub-agents.ts';

type UserMessage = NativeMessageOf<'user'>;

/** Messages in the user's name: results of tools, and what Claude Code says to the model. Our own are not repeated. */
export function translateUser(state: LiveState, message: UserMessage): Translation<LiveState> {
  return translateAll(state, readContent(message.message.content), (current, block) =>
    block.kind === 'result' ? translateResult(current, message, block) : translateText(current, message, block),
  );
}

function translateResult(state: LiveState, message: UserMessage, block: ToolResult): Translation<LiveState> {
  const result = { ...block, details: message.tool_use_result };
  const place = placeOfResult(state, callOfSubAgent(state, message));
  if (place === undefined) return translation(state);
  const launch = readLaunch(result.content, result.details);
  if (launch === undefined) return translation(state, finishCall(place, result));
  return confirmLaunch(state, { turnId: place.turnId, callId: result.callId }, launch);
}

function placeOfResult(state: LiveState, parentCallId: string | null) {
  if (parentCallId === null) return state.turn;
  const agent = findSubAgent(state, parentCallId);
  return agent && { turnId: agent.turnId, parentItemId: agent.itemId };
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
