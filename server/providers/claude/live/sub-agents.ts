import type { StreamAction } from '../../../streaming/stream-actions.ts';
import { type BlockPlace, finishCall, type ToolResult, wholeBlock } from '../content/block-actions.ts';
import type { ContentBlock } from '../content/content-blocks.ts';
import { delegates } from '../content/tool-facts.ts';
import { type Translation, translateAll, translation } from '../content/translation.ts';
import { addBlock, continueMessage } from '../content/turn-scope.ts';
import type { LiveState, SubAgent } from './live-state.ts';

/** Remembers a call that hands work to a sub-agent, so that this work can be shown under it. */
export function registerSubAgent(state: LiveState, place: BlockPlace, block: ContentBlock): LiveState {
  if (block.kind !== 'call' || !delegates(block.name)) return state;
  return withSubAgent(state, block.callId, { turnId: place.turnId, itemId: place.itemId, message: undefined });
}

/** One that works in the background may go on in a later turn than the one that called it. */
export function translateSubAgentBlocks(
  state: LiveState,
  parentCallId: string,
  messageId: string,
  blocks: readonly ContentBlock[],
): Translation<LiveState> {
  return translateAll(state, blocks, (current, block) => {
    const agent = subAgentOf(current, parentCallId);
    if (agent === undefined) return translation(current);
    const continued = continueMessage(agent.message, messageId, agent.message?.ordinal ?? 0);
    const { itemId, message } = addBlock(continued, agent.itemId);
    const place = { turnId: current.turn?.turnId ?? agent.turnId, itemId, parentItemId: agent.itemId };
    const next = withSubAgent(current, parentCallId, { ...agent, message });
    return translation(registerSubAgent(next, place, block), ...wholeBlock(place, block));
  });
}

export function finishSubAgentCall(
  state: LiveState,
  parentCallId: string,
  result: ToolResult,
): readonly StreamAction[] {
  const agent = subAgentOf(state, parentCallId);
  if (agent === undefined) return [];
  return [finishCall({ turnId: state.turn?.turnId ?? agent.turnId, parentItemId: agent.itemId }, result)];
}

/** Work under a call that was never seen is still shown, under the name of that call. */
function subAgentOf(state: LiveState, callId: string): SubAgent | undefined {
  const known = state.subAgents.get(callId);
  if (known !== undefined || state.turn === undefined) return known;
  const { turnId } = state.turn;
  return { turnId, itemId: `${turnId}:${callId}`, message: undefined };
}

function withSubAgent(state: LiveState, callId: string, agent: SubAgent): LiveState {
  return { ...state, subAgents: new Map(state.subAgents).set(callId, agent) };
}
