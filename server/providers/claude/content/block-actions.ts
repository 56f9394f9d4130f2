import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import type { ContentBlock } from './content-blocks.ts';
import { diffsOfArguments, toolKindOf } from './tool-facts.ts';
import { readToolResult } from './tool-results.ts';

/** Where a block is shown. */
export interface BlockPlace {
  readonly turnId: string;
  readonly itemId: string;
  /** The call under which a sub-agent made it. */
  readonly parentItemId?: string | undefined;
}

export interface ToolResult {
  readonly callId: string;
  readonly content: unknown;
  readonly isError: boolean;
  /** The tool's own result, where it is known. */
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

/** The block as the agent keeps it: what it says replaces what was streamed. An empty text is not worth an item. */
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

/** A block that was never streamed. */
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

/** Without `parentItemId` where there is none. */
function at<P extends { readonly parentItemId?: string | undefined }>({ parentItemId, ...place }: P) {
  return { ...place, ...(parentItemId !== undefined && { parentItemId }) };
}
