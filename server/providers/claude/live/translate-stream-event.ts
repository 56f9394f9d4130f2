import { errorCatalogue } from '../../../../shared/errors.ts';
import { beginBlock } from '../content/block-actions.ts';
import { readBlock } from '../content/content-blocks.ts';
import { type Translation, translation } from '../content/translation.ts';
import { blockItemId, nextMessage } from '../content/turn-scope.ts';
import type { LiveState, StreamedBlock } from './live-state.ts';
import type { NativeMessageOf, Untyped } from './native-messages.ts';
import { registerSubAgent } from './sub-agents.ts';
import { enterTurnOf } from './turn-entry.ts';

type StreamEventMessage = NativeMessageOf<'stream_event'>;
type StreamEvent<T extends StreamEventMessage['event']['type']> = Extract<StreamEventMessage['event'], { type: T }>;

const ABANDONED = { code: 'STREAM_RETRIED', message: errorCatalogue.STREAM_RETRIED.message } as const;

export function translateStreamEvent(state: LiveState, message: StreamEventMessage): Translation<LiveState> {
  // A sub-agent's work comes as whole messages.
  if (message.parent_tool_use_id !== null) return translation(state);
  const { event } = message;
  switch (event.type) {
    case 'message_start':
      return beginMessage(state, message, event);
    case 'content_block_start':
      return begin(state, event);
    case 'content_block_delta':
      return append(state, event);
    case 'message_stop':
      return endMessage(state, message);
    case 'content_block_stop':
    case 'message_delta':
      return translation(state);
    default:
      event satisfies never;
      return translation(state);
  }
}

/** Blocks that the agent has not confirmed when it begins anew were given up. */
export function abandonStreamed(state: LiveState, fromIndex = 0): Translation<LiveState> {
  const { streamed } = state;
  if (streamed === undefined || state.isInterrupted) return translation(state);
  const isGivenUp = (block: StreamedBlock) => !block.isConfirmed && block.kind !== 'other' && block.index >= fromIndex;
  return translation(
    { ...state, streamed: { ...streamed, blocks: streamed.blocks.filter((block) => !isGivenUp(block)) } },
    ...streamed.blocks.filter(isGivenUp).map(({ itemId }) => ({ do: 'item_error', itemId, ...ABANDONED }) as const),
  );
}

function beginMessage(state: LiveState, message: StreamEventMessage, event: StreamEvent<'message_start'>) {
  const before = abandonStreamed(state);
  const { id, model } = event.message;
  const entered = enterTurnOf({ ...before.state, modelId: before.state.modelId ?? model }, message, id);
  const turn = nextMessage(entered.state.turn);
  const streamed = { id, ordinal: turn.ordinal, blocks: [] };
  return translation({ ...entered.state, turn, streamed }, ...before.actions, ...entered.actions);
}

function begin(state: LiveState, event: StreamEvent<'content_block_start'>): Translation<LiveState> {
  const { turn, streamed } = state;
  if (turn === undefined || streamed === undefined) return translation(state);
  const block = readBlock(event.content_block);
  const place = { turnId: turn.turnId, itemId: blockItemId(turn.turnId, streamed.ordinal, event.index) };
  const begun: StreamedBlock = { index: event.index, itemId: place.itemId, kind: block.kind, isConfirmed: false };
  const next = { ...state, streamed: { ...streamed, blocks: [...streamed.blocks, begun] } };
  return translation(registerSubAgent(next, place, block), ...beginBlock(place, block));
}

function append(state: LiveState, { index, delta }: StreamEvent<'content_block_delta'>): Translation<LiveState> {
  const itemId = state.streamed?.blocks.find((block) => block.index === index)?.itemId;
  if (itemId === undefined) return translation(state);
  switch (delta.type) {
    case 'text_delta':
      return translation(state, { do: 'item_delta', itemId, text: delta.text });
    case 'thinking_delta':
      return translation(state, { do: 'item_delta', itemId, text: delta.thinking });
    // A call's arguments are taken from the whole block, which follows.
    case 'input_json_delta':
    case 'signature_delta':
    case 'citations_delta':
    case 'compaction_delta':
      return translation(state);
    default:
      delta satisfies never;
      return translation(state);
  }
}

/** A message that was cut off says from which block on it does not count. */
function endMessage(state: LiveState, { abandoned_blocks: abandoned }: Untyped): Translation<LiveState> {
  if (typeof abandoned !== 'object' || abandoned === null) return translation(state);
  const from = 'from_block_index' in abandoned ? abandoned.from_block_index : undefined;
  return abandonStreamed(state, typeof from === 'number' ? from : 0);
}
