import type { TranscriptEntry } from './transcript-entry.ts';

/** As much of a text is kept as tells what it is. */
const MAX_TEXT = 400;

/** The entry with what is needed to work out the context, to be kept in memory for large conversations. */
export function withoutContent(entry: TranscriptEntry): TranscriptEntry {
  switch (entry.type) {
    case 'user':
      return { ...entry, toolUseResult: undefined, message: slimMessage(entry.message) };
    case 'assistant':
      return { ...entry, message: slimMessage(entry.message) };
    case 'queue-operation':
    case 'system':
      return { ...entry, content: typeof entry.content === 'string' ? slimText(entry.content) : undefined };
    case 'attachment':
      return { ...entry, attachment: entry.attachment && { ...entry.attachment, prompt: undefined } };
    default:
      return entry;
  }
}

type Message = Extract<TranscriptEntry, { type: 'user' }>['message'];

function slimMessage(message: Message): Message {
  if (message === undefined) return undefined;
  const { content } = message;
  if (Array.isArray(content)) return { ...message, content: content.map(slimBlock) };
  return { ...message, content: typeof content === 'string' ? slimText(content) : content };
}

function slimBlock(block: unknown): unknown {
  if (typeof block !== 'object' || block === null) return block;
  const { type, id, tool_use_id, name, text, thinking } = block as Readonly<Record<string, unknown>>;
  return {
    type,
    ...(typeof id === 'string' && { id, input: {} }),
    ...(typeof tool_use_id === 'string' && { tool_use_id, content: '' }),
    ...(typeof name === 'string' && { name }),
    ...(typeof text === 'string' && { text: slimText(text) }),
    ...(typeof thinking === 'string' && { thinking: '' }),
  };
}

function slimText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  // A copy: a part of a string keeps the whole string in memory.
  return Buffer.from(text.trimStart().slice(0, MAX_TEXT)).toString();
}
