import { type BlockPlace, wholeBlock } from '../content/block-actions.ts';
import type { ContentBlock } from '../content/content-blocks.ts';
import { delegates } from '../content/tool-facts.ts';
import { type Translation, translateAll, translation } from '../content/translation.ts';
import { addBlock, addToReport, continueMessage } from '../content/turn-scope.ts';
import type { LiveState, SubAgent } from './live-state.ts';

/** Remembers a call that hands work to a sub-agent, so that this work can be shown under it. */
export function registerSubAgent(state: LiveState, place: BlockPlace, block: ContentBlock): LiveState {
  if (block.kind !== 'call' || !delegates(block.name)) return state;
  const { turnId, itemId } = place;
  return withSubAgent(state, block.callId, { turnId, itemId, message: undefined, report: undefined });
}

/** The work of a sub-agent belongs to the turn of its call, also when it goes on in the background. */
export function translateSubAgentBlocks(
  state: LiveState,
  parentCallId: string,
  messageId: string,
  blocks: readonly ContentBlock[],
): Translation<LiveState> {
  return translateAll(state, blocks, (current, block) => {
    const agent = findSubAgent(current, parentCallId);
    if (agent === undefined) return translation(current);
    const continued = continueMessage(agent.message, messageId, agent.message?.ordinal ?? 0);
    const { itemId, message } = addBlock(continued, agent.itemId);
    const place = { turnId: agent.turnId, itemId, parentItemId: agent.itemId };
    const report = block.kind === 'text' ? addToReport(agent.report, messageId, block.text) : agent.report;
    const next = withSubAgent(current, parentCallId, { ...agent, message, report });
    return translation(registerSubAgent(next, place, block), ...wholeBlock(place, block));
  });
}

/** A sub-agent that is sent a message after it ended works on for that call, but its messages name the first one. */
export function callOfSubAgent(
  state: LiveState,
  message: { readonly parent_tool_use_id: string | null; readonly agent_id?: string },
): string | null {
  const task = message.agent_id === undefined ? undefined : state.tasks.get(message.agent_id);
  return message.parent_tool_use_id === null ? null : (task?.callId ?? message.parent_tool_use_id);
}

/** Work under a call that was never seen is still shown, under the name of that call. */
export function findSubAgent(state: LiveState, callId: string): SubAgent | undefined {
  const known = state.subAgents.get(callId);
  if (known !== undefined || state.turn === undefined) return known;
  const { turnId } = state.turn;
  return { turnId, itemId: `${turnId}:${callId}`, message: undefined, report: undefined };
}

function withSubAgent(state: LiveState, callId: string, agent: SubAgent): LiveState {
  return { ...state, subAgents: new Map(state.subAgents).set(callId, agent) };
}
