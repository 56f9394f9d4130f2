import type { Chunk } from './session-update.ts';
import { andThen, closeText, nextItem, type OpenText, type Step, type TurnState } from './turn-state.ts';

/**
 * Chunks of the same kind and message are one item. Anything else in between ends it and the next chunk starts a new
 * item, so that everything is shown in the order in which it happened.
 */
export function addChunk(state: TurnState, kind: OpenText['kind'], chunk: Chunk, separator = ''): Step {
  const messageId = chunk.messageId ?? undefined;
  const { text } = state;
  if (text?.kind === kind && text.messageId === messageId) {
    return { state, actions: [{ do: 'item_delta', itemId: text.itemId, text: `${separator}${chunk.content}` }] };
  }
  // Agents begin a thought with blank lines. An item begins with visible text.
  const content = kind === 'thinking' ? chunk.content.trimStart() : chunk.content;
  if (content === '') return { state, actions: [] };
  return andThen(closeText(state), (closed) => startText(closed, kind, messageId, content));
}

function startText(state: TurnState, kind: OpenText['kind'], messageId: string | undefined, content: string): Step {
  const item = nextItem(state);
  return {
    state: { ...state, itemCount: state.itemCount + 1, text: { itemId: item.itemId, kind, messageId } },
    actions: [{ do: 'item_start', ...item, kind, content }],
  };
}
