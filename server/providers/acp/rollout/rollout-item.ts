import { z } from 'zod';

/** What is shown of a conversation, as Codex stores it. Only what is used here; an item that does not fit is skipped. */

const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const text = optional(z.string());
const id = z.string().min(1);
const status = z.string().catch('completed');

const inputSchema = z.object({ type: z.string(), text, name: text, path: text, image_url: text, url: text });
export type UserInput = z.infer<typeof inputSchema>;

const actionSchema = z.object({ type: z.string(), cmd: text, path: text, query: text });
export type CommandAction = z.infer<typeof actionSchema>;

const changeSchema = z.object({ type: z.string(), content: text, unified_diff: text, move_path: text });
export type FileChange = z.infer<typeof changeSchema>;

const searchActionSchema = z.object({
  type: z.string(),
  query: text,
  queries: optional(z.array(z.string())),
  url: text,
  pattern: text,
});

const valid = <T extends z.ZodType>(schema: T) =>
  z.array(schema.nullable().catch(null)).transform((items) => items.filter((item) => item !== null));

const itemSchemas = [
  z.object({ type: z.literal('UserMessage'), id, content: valid(inputSchema) }),
  z.object({ type: z.literal('AgentMessage'), id, content: valid(z.object({ text: z.string() })) }),
  z.object({
    type: z.literal('Reasoning'),
    id,
    summary_text: z.array(z.string()).catch([]),
    raw_content: z.array(z.string()).catch([]),
  }),
  z.object({
    type: z.literal('CommandExecution'),
    id,
    command: z.union([z.string().transform((line) => [line]), z.array(z.string())]).catch([]),
    cwd: z.string().catch(''),
    parsed_cmd: valid(actionSchema).catch([]),
    source: text,
    status,
    aggregated_output: z.string().nullish().catch(''),
    exit_code: optional(z.number().int()),
  }),
  z.object({ type: z.literal('FileChange'), id, changes: z.record(z.string(), changeSchema).catch({}), status }),
  z.object({
    type: z.literal('McpToolCall'),
    id,
    server: z.string().catch(''),
    tool: z.string().catch(''),
    arguments: z.unknown(),
    status,
    result: z.unknown(),
    error: z.unknown(),
  }),
  z.object({
    type: z.literal('DynamicToolCall'),
    id,
    namespace: text,
    tool: z.string().catch('tool'),
    arguments: z.unknown(),
    status,
    content_items: optional(valid(z.object({ type: z.string(), text }))),
  }),
  z.object({
    type: z.literal('CollabAgentToolCall'),
    id,
    tool: z.string().catch('agent'),
    status,
    prompt: text,
    sender_thread_id: text,
    receiver_thread_ids: z.array(z.string()).catch([]),
    agents_states: z.record(z.string(), z.unknown()).catch({}),
    model: text,
    reasoning_effort: text,
  }),
  z.object({
    type: z.literal('SubAgentActivity'),
    id,
    kind: z.string(),
    agent_thread_id: id,
    agent_path: z.string().catch(''),
  }),
  z.object({ type: z.literal('WebSearch'), id, query: text, action: optional(searchActionSchema) }),
  z.object({ type: z.literal('ImageView'), id, path: z.string() }),
  z.object({ type: z.literal('ImageGeneration'), id, status, revised_prompt: text, saved_path: text }),
  z.object({ type: z.literal('EnteredReviewMode'), id, user_facing_hint: text }),
  z.object({
    type: z.literal('ExitedReviewMode'),
    id,
    review_output: optional(z.object({ overall_explanation: z.string().catch('') })),
  }),
  z.object({ type: z.literal('ContextCompaction'), id }),
  z.object({ type: z.literal('Plan'), id, text: z.string().catch('') }),
] as const;

const itemSchema = z.discriminatedUnion('type', [...itemSchemas]);
export type RolloutItem = z.infer<typeof itemSchema>;
export type ItemOf<N extends RolloutItem['type']> = Extract<RolloutItem, { type: N }>;

/** Undefined for an item that is not shown or not known. */
export function parseItem(item: unknown): RolloutItem | undefined {
  return itemSchema.safeParse(item).data;
}
