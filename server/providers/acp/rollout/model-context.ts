import { z } from 'zod';
import type { ScannedLine } from './scan-lines.ts';

/** A message of the conversation as it stands in a request to the model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/**
 * Works out row by row what Codex gives to the model when it resumes a conversation: the messages of the user and the
 * model since the beginning or since the last compaction, which put others in their place, without the turns that were
 * taken back. What Codex itself adds (instructions, the environment), calls and thoughts do not count.
 */
export interface ModelContext {
  add(line: Pick<ScannedLine, 'head' | 'text'>): void;
  messages(): readonly ModelMessage[];
  /** When it was last compacted. */
  compactedAt(): string | undefined;
  /** The last row that can be read has its place among the others. Codex does not open a conversation without it. */
  endsWithOrdinal(): boolean;
  /** False if a row that matters is too long to be read. */
  isReadable(): boolean;
}

interface Kept extends ModelMessage {
  /** It began a turn: what goes when turns are taken back. */
  readonly isTurn: boolean;
}

const contentSchema = z.array(z.object({ text: z.string().optional().catch(undefined) }).catch({}));
const messageSchema = z.object({
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  content: contentSchema,
  internal_chat_message_metadata_passthrough: z
    .object({ content_item_kinds: z.array(z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
const rowSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response_item'), payload: messageSchema }),
  z.object({
    type: z.literal('compacted'),
    timestamp: z.string().optional().catch(undefined),
    payload: z.object({
      message: z.string().catch(''),
      replacement_history: z.array(z.unknown()).nullish().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('event_msg'),
    payload: z.object({ type: z.literal('thread_rolled_back'), num_turns: z.number().int().min(0) }),
  }),
]);

/** Rows that are parsed. All others are told from their beginning. */
const IS_RELEVANT =
  /"type":"(?:compacted"|response_item","payload":\{"type":"message"|event_msg","payload":\{"type":"thread_rolled_back")/;
const HAS_ORDINAL = /^\{"timestamp":"[^"]*","ordinal":\d+,/;
/** A line that is no row: it is left out, wherever it stands. */
const IS_ROW = /^\s*\{\s*"/;

/** `withTexts`: otherwise the messages are counted only, and their texts are empty. */
export function createModelContext({ withTexts }: { readonly withTexts: boolean }): ModelContext {
  let history: Kept[] = [];
  let compactedAt: string | undefined;
  let endsWithOrdinal = true;
  let isReadable = true;

  function keep(payload: unknown): void {
    const message = toMessage(payload);
    if (message !== undefined) history.push(withTexts ? message : { ...message, text: '' });
  }

  return {
    add({ head, text }) {
      const hasOrdinal = HAS_ORDINAL.test(head);
      const isRelevant = IS_RELEVANT.test(head);
      if (!isRelevant && hasOrdinal) endsWithOrdinal = true;
      if ((!isRelevant && hasOrdinal) || !IS_ROW.test(head)) return;
      const line = text();
      isReadable &&= line !== undefined || !isRelevant;
      const value = parseJson(line);
      if (value === undefined) return;
      endsWithOrdinal = hasOrdinal;
      const row = rowSchema.safeParse(value).data;
      if (row === undefined) return;
      switch (row.type) {
        case 'response_item':
          keep(row.payload);
          return;
        case 'compacted': {
          compactedAt = row.timestamp;
          const { message, replacement_history } = row.payload;
          // Before 0.100 a compaction stored its summary only, and what stays is the messages of the user.
          const summary: Kept = { role: 'user', text: withTexts ? message : '', isTurn: false };
          const kept = replacement_history ? [] : [...history.filter(({ isTurn }) => isTurn), summary];
          history = kept;
          for (const item of replacement_history ?? []) keep(item);
          return;
        }
        case 'event_msg': {
          const { num_turns } = row.payload;
          const turns = history.flatMap(({ isTurn }, index) => (isTurn ? [index] : []));
          if (num_turns > 0) history = history.slice(0, turns[Math.max(0, turns.length - num_turns)]);
          return;
        }
        default:
          row satisfies never;
      }
    },
    messages: () => history,
    compactedAt: () => compactedAt,
    endsWithOrdinal: () => endsWithOrdinal,
    isReadable: () => isReadable,
  };
}

/** What Codex writes into the conversation in the name of the user, in versions that do not say so. */
const ADDED =
  /^\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|turn_aborted|skill|user_shell_command|subagent_notification|recommended_plugins)\b)/i;
const SUMMARY = /^Another language model started to solve this problem/;

function toMessage(payload: unknown): Kept | undefined {
  const message = messageSchema.safeParse(payload).data;
  if (message === undefined) return undefined;
  const { role, content, internal_chat_message_metadata_passthrough: told } = message;
  const text = content.map((part) => part.text ?? '').join('\n');
  if (role === 'assistant') return { role, text, isTurn: false };
  const kinds = (told?.content_item_kinds ?? []).filter((kind) => kind !== 'unknown');
  const isSummary = kinds.includes('compaction.summary') || SUMMARY.test(text);
  const isAdded = kinds.length > 0 ? !kinds.some((kind) => kind.startsWith('user.')) : ADDED.test(text);
  if (isSummary) return { role, text, isTurn: false };
  return isAdded ? undefined : { role, text, isTurn: true };
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
