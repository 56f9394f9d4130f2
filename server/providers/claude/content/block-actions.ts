import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import type { ContentBlock } from './content-blocks.ts';
import { diffsOfArguments, toolKindOf } from './tool-facts.ts';
import { readToolResult } from './tool-results.ts';

/** The item of a block. */
export interface BlockPlace {
  readonly turnId: string;
  readonly itemId: string;
  /** The call that the sub-agent works for. */
  readonly parentItemId?: string | undefined;
}

export interface ToolResult {
  readonly callId: string;
  readonly content: unknown;
  readonly isError: boolean;
  /** The structured result of the tool, if known. */
  readonly details?: unknown;
}

export function beginBlock(place: BlockPlace, block: ContentBlock): readonly StreamAction[] {
  switch (block.kind) {
    case 'text':
      return [{ do: 'item_start', ...at(place), kind: 'message', content: block.text }];
    case 'thinking':
      return [{ do: 'item_start', ...at(place), kind: 'thinking', content: block.text }];
    case 'call': {
      const { callId, name } = block;
      return [{ do: 'tool_start', ...at(place), callId, name, toolKind: toolKindOf(name) }];
    }
    case 'result':
    case 'other':
      return [];
  }
}

/** The final version of a block, which replaces what was streamed. An empty text gets no item. */
export function finishBlock(place: BlockPlace, block: ContentBlock): readonly StreamAction[] {
  const { itemId } = place;
  switch (block.kind) {
    case 'text':
    case 'thinking':
      return [block.text === '' ? { do: 'item_cancel', itemId } : { do: 'item_done', itemId, content: block.text }];
    case 'call': {
      const { callId, name, input } = block;
      const diffs = diffsOfArguments(name, input);
      return [{ do: 'tool_arguments', callId, arguments: input, ...(diffs && { diffs }) }];
    }
    case 'result':
      return [finishCall(place, block)];
    case 'other':
      return [];
  }
}

/** A block that was not streamed. */
export function wholeBlock(place: BlockPlace, block: ContentBlock): readonly StreamAction[] {
  if (block.kind === 'text') {
    return block.text === '' ? [] : [{ do: 'message', ...at(place), origin: 'agent', content: block.text }];
  }
  return [...beginBlock(place, block), ...finishBlock(place, block)];
}

export function finishCall(place: Omit<BlockPlace, 'itemId'>, result: ToolResult): ActionOf<'tool_done'> {
  const { callId, content, isError, details } = result;
  return { do: 'tool_done', ...at(place), callId, isError, ...readToolResult(content, isError, details) };
}

/** Leaves out `parentItemId` if it is undefined. */
function at<P extends { readonly parentItemId?: string | undefined }>({ parentItemId, ...place }: P) {
  return { ...place, ...(parentItemId !== undefined && { parentItemId }) };
}
