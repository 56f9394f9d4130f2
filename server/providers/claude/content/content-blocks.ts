import { z } from 'zod';
import { frozenCopy } from '../../../streaming/frozen-copy.ts';

/** One block of a message's content, reduced to what is shown. */
export type ContentBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      readonly input: Record<string, unknown>;
    }
  | { readonly kind: 'result'; readonly callId: string; readonly content: unknown; readonly isError: boolean }
  /** Not shown: encrypted thinking, container uploads, unknown types. */
  | { readonly kind: 'other' };

const textSchema = z.looseObject({ text: z.string() });
const thinkingSchema = z.looseObject({ thinking: z.string() });
const callSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const resultSchema = z.looseObject({
  tool_use_id: z.string().min(1),
  content: z.unknown(),
  is_error: z.boolean().nullish(),
});

const OTHER: ContentBlock = { kind: 'other' };

/** Blocks come from outside, so their shape is checked. */
export function readBlock(block: unknown): ContentBlock {
  const type = typeof block === 'object' && block !== null && 'type' in block ? block.type : undefined;
  switch (type) {
    case 'text': {
      const { data } = textSchema.safeParse(block);
      return data ? { kind: 'text', text: data.text } : OTHER;
    }
    case 'thinking': {
      const { data } = thinkingSchema.safeParse(block);
      return data ? { kind: 'thinking', text: data.thinking } : OTHER;
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { data } = callSchema.safeParse(block);
      return data ? { kind: 'call', callId: data.id, name: data.name, input: data.input } : OTHER;
    }
    default: {
      if (typeof type !== 'string' || !type.endsWith('tool_result')) return OTHER;
      const { data } = resultSchema.safeParse(block);
      if (data === undefined) return OTHER;
      return { kind: 'result', callId: data.tool_use_id, content: data.content, isError: data.is_error ?? false };
    }
  }
}

/** No message has nearly as many blocks. More would make lists that are too long to be passed as arguments. */
const MAX_BLOCKS = 10_000;

/** The content of a message is a list of blocks or a string. */
export function readContent(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const blocks = content.slice(0, MAX_BLOCKS).map(readBlock);
  const left = content.length - blocks.length;
  return left === 0 ? blocks : [...blocks, { kind: 'text', text: `[${left} more blocks are not shown]` }];
}

const anyBlockSchema = z.looseObject({ type: z.string() });
const imageSchema = z.looseObject({ source: z.looseObject({ media_type: z.string() }) });
const referenceSchema = z.looseObject({ tool_name: z.string() });

/** The content of a message or a tool result as text, with a placeholder for everything that is not text. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(frozenCopy(content));
  return content.map(blockText).join('\n');
}

function blockText(block: unknown): string {
  const { data } = anyBlockSchema.safeParse(block);
  if (data === undefined) return typeof block === 'string' ? block : '[unreadable]';
  if (data.type === 'text') return textSchema.safeParse(data).data?.text ?? '';
  if (data.type === 'image') return `[image: ${imageSchema.safeParse(data).data?.source.media_type ?? 'unknown type'}]`;
  if (data.type === 'tool_reference') return `[tool: ${referenceSchema.safeParse(data).data?.tool_name ?? 'unknown'}]`;
  return `[${data.type}]`;
}
