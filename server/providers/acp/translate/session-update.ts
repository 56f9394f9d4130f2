import type { SessionUpdate as ProtocolUpdate } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { describeProblems } from '../../../../shared/parse.ts';

/**
 * What an agent reports about a session, validated and reduced to what is used here. An optional field that is invalid
 * counts as absent, so that it does not cost the whole update; ids and texts must be valid.
 */

/** Absent, null and invalid are the same. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

const textOfBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text),
  z.object({ type: z.literal('image') }).transform(() => '[image]'),
  z.object({ type: z.literal('audio') }).transform(() => '[audio]'),
  z
    .object({ type: z.literal('resource_link'), name: optional(z.string()), uri: z.string() })
    .transform(({ name, uri }) => `[${name ?? uri}](${uri})`),
  z
    .object({ type: z.literal('resource'), resource: z.object({ uri: z.string(), text: optional(z.string()) }) })
    .transform(({ resource }) => resource.text ?? `[resource](${resource.uri})`),
]);

const chunkSchema = z.object({ content: textOfBlock, messageId: optional(z.string()) });
export type Chunk = z.infer<typeof chunkSchema>;

const toolContentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('content'), content: textOfBlock }),
  z.object({ type: z.literal('diff'), path: z.string(), oldText: optional(z.string()), newText: z.string() }),
  z.object({ type: z.literal('terminal'), terminalId: z.string() }),
]);
export type ToolContent = z.infer<typeof toolContentSchema>;

/** Invalid items are left out. */
const toolContentListSchema = z
  .array(toolContentSchema.nullable().catch(null))
  .transform((items) => items.filter((item) => item !== null));

const outputPieceSchema = optional(z.object({ data: z.string() }));

const backgroundedSchema = z.object({ backgrounded: optional(z.boolean()) });

const toolSchema = z.object({
  toolCallId: z.string().min(1),
  title: optional(z.string()),
  name: optional(z.string()),
  kind: optional(z.string()),
  status: optional(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  content: optional(toolContentListSchema),
  locations: optional(z.array(z.object({ path: z.string() }))),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  /** The output of a command that the agent runs itself: in pieces, then the exit code. */
  _meta: optional(
    z.object({
      terminal_output_delta: outputPieceSchema,
      terminal_output: outputPieceSchema,
      terminal_exit: optional(z.object({ exit_code: optional(z.number().int()) })),
      jetbrains: optional(z.object({ air: optional(z.object({ asyncTasks: optional(backgroundedSchema) })) })),
    }),
  ),
});
export type ToolReport = z.infer<typeof toolSchema>;

/** A command that goes on after its turn, announced and ended as a task of its own. */
const taskSchema = z.object({ asyncTaskId: z.string().min(1), toolCallId: z.string().min(1) });
const taskStateSchema = taskSchema.extend({ state: z.string() });

/** A sub-agent with a session of its own. What is not named stays as it was. */
const subagentSchema = z.object({
  sessionId: z.string().min(1),
  title: optional(z.string()),
  state: optional(z.object({ state: z.string(), stopReason: optional(z.string()) })),
});
export type SubagentReport = z.infer<typeof subagentSchema>;

const planEntrySchema = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']).catch('pending'),
  priority: optional(z.string()),
});
export type PlanEntry = z.infer<typeof planEntrySchema>;

const retrySchema = z.object({
  message: z.string(),
  additionalDetails: optional(z.string()),
  willRetry: z.boolean().catch(false),
});
export type AgentTrouble = z.infer<typeof retrySchema>;

const sessionInfoSchema = z.object({
  _meta: optional(
    z.object({
      codex: optional(
        z.object({ threadStatus: optional(z.object({ type: z.string() })), error: optional(retrySchema) }),
      ),
    }),
  ),
});
export type SessionInfo = z.infer<typeof sessionInfoSchema>;

const noticeSchema = z.object({
  severity: z.string().catch('info'),
  title: z.string().min(1),
  description: optional(z.string()),
});
export type Notice = z.infer<typeof noticeSchema>;

const configOptionSchema = z.object({
  category: optional(z.string()),
  currentValue: optional(z.union([z.string(), z.boolean()])),
});
export const configOptionsSchema = z.array(configOptionSchema.catch({}));

export interface ModelSources {
  readonly configOptions?: z.infer<typeof configOptionsSchema> | null | undefined;
  readonly models?: { readonly currentModelId: string } | null | undefined;
}

export function modelOf({ configOptions, models }: ModelSources): string | undefined {
  const option = configOptions?.find(({ category }) => category === 'model')?.currentValue;
  return typeof option === 'string' ? option : models?.currentModelId;
}

const nothing = z.object({});

/** One entry for each update of the protocol, so that a new one breaks the build instead of being ignored. */
const updateSchemas = {
  user_message_chunk: chunkSchema,
  agent_message_chunk: chunkSchema,
  agent_thought_chunk: chunkSchema,
  tool_call: toolSchema,
  tool_call_update: toolSchema,
  plan: z.object({ entries: z.array(planEntrySchema) }),
  session_info_update: sessionInfoSchema,
  notice: noticeSchema,
  config_option_update: z.object({ configOptions: configOptionsSchema }),
  available_commands_update: nothing,
  current_mode_update: nothing,
  usage_update: nothing,
  compaction_update: nothing,
  compaction_summary_chunk: nothing,
  subagent_update: subagentSchema,
  async_task_spawned: taskSchema,
  async_task_state_update: taskStateSchema,
} as const satisfies Record<ProtocolUpdate['sessionUpdate'] | Extension, z.ZodType>;

/** Sent by agents, but not part of the stable protocol. */
type Extension = 'subagent_update' | 'async_task_spawned' | 'async_task_state_update';

type UpdateName = keyof typeof updateSchemas;
export type SessionUpdate = {
  [N in UpdateName]: { readonly sessionUpdate: N } & z.infer<(typeof updateSchemas)[N]>;
}[UpdateName];

export type ParsedUpdate =
  | { readonly ok: true; readonly nativeId: string; readonly update: SessionUpdate }
  | { readonly ok: false; readonly problem: string };

/** Never throws: an update that does not fit the protocol is reported and skipped. */
export function parseSessionUpdate(params: unknown): ParsedUpdate {
  if (!isRecord(params) || typeof params.sessionId !== 'string' || !isRecord(params.update)) {
    return { ok: false, problem: 'invalid session/update: expected a sessionId and an update' };
  }
  const { sessionId: nativeId, update } = params;
  const name = update.sessionUpdate;
  if (!isUpdateName(name))
    return { ok: false, problem: `unknown session update ${JSON.stringify(name)?.slice(0, 64)}` };
  const plainText = readPlainText(name, update);
  if (plainText !== undefined) return { ok: true, nativeId, update: plainText };
  const body = updateSchemas[name].safeParse(update);
  if (!body.success) return { ok: false, problem: `invalid ${name}: ${describeProblems(body.error)}` };
  return { ok: true, nativeId, update: { sessionUpdate: name, ...body.data } as SessionUpdate };
}

/** A fast path for plain text, which is nearly all that an agent sends: a schema takes ten times as long. */
function readPlainText(name: UpdateName, { content, messageId }: Record<string, unknown>): SessionUpdate | undefined {
  if (name !== 'agent_message_chunk' && name !== 'agent_thought_chunk' && name !== 'user_message_chunk')
    return undefined;
  if (!isRecord(content) || content.type !== 'text' || typeof content.text !== 'string') return undefined;
  return {
    sessionUpdate: name,
    content: content.text,
    messageId: typeof messageId === 'string' ? messageId : undefined,
  };
}

function isUpdateName(name: unknown): name is UpdateName {
  return typeof name === 'string' && Object.hasOwn(updateSchemas, name);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
