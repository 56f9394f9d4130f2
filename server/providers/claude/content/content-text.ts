import { z } from 'zod';

const blockSchema = z.looseObject({ type: z.string() });
const textSchema = z.looseObject({ text: z.string() });
const imageSchema = z.looseObject({ source: z.looseObject({ media_type: z.string() }) });
const referenceSchema = z.looseObject({ tool_name: z.string() });

/** The content of a message or a tool result as text; what is no text leaves a mark in its place. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map(blockText).join('\n');
}

function blockText(block: unknown): string {
  const { data } = blockSchema.safeParse(block);
  if (data === undefined) return typeof block === 'string' ? block : '[unreadable]';
  if (data.type === 'text') return textSchema.safeParse(data).data?.text ?? '';
  if (data.type === 'image') return `[image: ${imageSchema.safeParse(data).data?.source.media_type ?? 'unknown type'}]`;
  if (data.type === 'tool_reference') return `[tool: ${referenceSchema.safeParse(data).data?.tool_name ?? 'unknown'}]`;
  return `[${data.type}]`;
}
