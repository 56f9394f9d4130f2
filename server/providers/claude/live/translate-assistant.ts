import { finishBlock, wholeBlock } from '../content/block-actions.ts';
import { type ContentBlock, contentText, readContent } from '../content/content-blocks.ts';
import { type Translation, translateAll, translation } from '../content/translation.ts';
import { addBlock, continueMessage } from '../content/turn-scope.ts';
import { enterTurn, type LiveState } from './live-state.ts';
import { type NativeMessageOf, turnsNamedBy } from './native-messages.ts';
import { callOfSubAgent, registerSubAgent, translateSubAgentBlocks } from './sub-agents.ts';
import { enterTurnOf } from './turn-entry.ts';

type AssistantMessage = NativeMessageOf<'assistant'>;

/**
 * The agent repeats every finished block as a message of its own. One that was streamed is confirmed by it and gets
 * its final content; one that was not (a sub-agent's, a local command's answer) is shown whole.
 */
export function translateAssistant(state: LiveState, message: AssistantMessage): Translation<LiveState> {
  const { id, content } = message.message;
  const blocks = readContent(content);
  const parentCallId = callOfSubAgent(state, message);
  if (parentCallId !== null) {
    // An API error ends the sub-agent, and the end of its task repeats it.
    if (message.error !== undefined) return translation(state);
    return translateSubAgentBlocks(state, parentCallId, id, blocks);
  }
  if (message.error !== undefined) return translation(keepError(state, message));
  if (state.streamed?.id !== id) return showWhole(state, message, blocks);
  const isCutShort = message.aborted === true;
  return translateAll(state, blocks, (current, block) => confirm(current, block, isCutShort));
}

/** The result repeats the words of the error and tells whether it ended the turn. */
function keepError(state: LiveState, message: AssistantMessage): LiveState {
  const named = turnsNamedBy(message).at(-1);
  const entered = named === undefined ? state : enterTurn(state, named);
  return { ...entered, apiError: contentText(message.message.content) };
}

/** Text that an interruption cut short is confirmed, not finished: the end of its turn tells what became of it. */
function confirm(state: LiveState, block: ContentBlock, isCutShort: boolean): Translation<LiveState> {
  const { streamed, turn } = state;
  const match = streamed?.blocks.find((candidate) => !candidate.isConfirmed && candidate.kind === block.kind);
  if (turn === undefined || streamed === undefined || match === undefined) return translation(state);
  const blocks = streamed.blocks.map((other) => (other === match ? { ...other, isConfirmed: true } : other));
  const confirmed = { ...state, streamed: { ...streamed, blocks } };
  if (isCutShort && (block.kind === 'text' || block.kind === 'thinking')) return translation(confirmed);
  return translation(confirmed, ...finishBlock({ turnId: turn.turnId, itemId: match.itemId }, block));
}

function showWhole(state: LiveState, message: AssistantMessage, blocks: readonly ContentBlock[]) {
  const { id } = message.message;
  const entered = enterTurnOf(state, message, id);
  const { turnId } = entered.state.turn;
  const shown = translateAll(entered.state, blocks, (current, block) => {
    const continued = continueMessage(current.whole, id, current.turn.ordinal);
    const { itemId, message: whole } = addBlock(continued, turnId);
    const turn = { ...current.turn, ordinal: continued.ordinal };
    const next = { ...registerSubAgent(current, { turnId, itemId }, block), whole, turn };
    return translation(next, ...wholeBlock({ turnId, itemId }, block));
  });
  return translation<LiveState>(shown.state, ...entered.actions, ...shown.actions);
}
