import { z } from 'zod';
import {
  branchSchema,
  contextStateSchema,
  keepStatusSchema,
  projectSchema,
  sessionListItemSchema,
  sessionStateSchema,
} from './entities.ts';
import { cliTypeSchema, projectIdSchema, seqSchema, sessionIdSchema } from './ids.ts';
import { turnSummarySchema, upsertObjectSchema } from './stream-contracts.ts';

/** The longest message a user may send, well below the frame limit. */
export const MAX_CONTENT_LENGTH = 512 * 1024;

const pathSchema = z
  .string()
  .trim()
  .min(1, 'expected a directory path')
  .max(4096)
  .refine((path) => !path.includes('\0'), 'a path cannot contain a NUL character');

const contentSchema = z
  .string()
  .max(MAX_CONTENT_LENGTH)
  .refine((content) => content.trim() !== '', 'expected a message that is not empty');

export const MAX_TITLE_LENGTH = 200;

/** One line. A lone surrogate is half a character, which no file name and no agent could store. */
const titleSchema = z
  .string()
  .trim()
  .min(1, 'expected a title')
  .max(MAX_TITLE_LENGTH)
  .refine((title) => !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(title), 'expected one line without control characters');

/** In a query everything is text. */
const yesSchema = z.literal([true, 1, '1', 'true']);

export const exportFormatSchema = z.enum(['md', 'html', 'json']);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

const sessionInput = z.strictObject({ sessionId: sessionIdSchema });
const itemIdSchema = z.string().min(1, 'expected the id of an entry').max(1024);
const sessionHandle = z.object({ sessionId: sessionIdSchema, cliType: cliTypeSchema });

/** Refuse with PROJECT_NOT_TRUSTED where the user has not decided yet, instead of leaving out the directory's settings. */
const askSchema = z.boolean().optional();

const oneOf = (...names: readonly string[]) => ({
  check: (input: object) => names.filter((name) => Reflect.get(input, name) !== undefined).length === 1,
  message: `expected exactly one of ${names.join(', ')}`,
});
const projectChoice = oneOf('projectId', 'projectDir');
const reconnectChoice = oneOf('sessionId', 'cliType');

export interface CommandShape {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly http: { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string; readonly status: number };
  /** The type of the answer on the socket; the command's own name where the seeds name no other. */
  readonly reply: string;
  /** The reply is also announced to all other windows, without the request id. */
  readonly announced?: true;
  /** Over HTTP the body is `content` itself, as a file with the name `fileName`. */
  readonly download?: true;
}

/**
 * All commands. HTTP and the socket serve this table with the same input, output and errors. `:id` in a path is the
 * URL-encoded session or project id.
 */
export const commands = {
  'project:list': {
    summary: 'Lists all projects in the order they were added.',
    input: z.strictObject({}),
    output: z.object({ projects: z.array(projectSchema) }),
    http: { method: 'GET', path: '/api/project', status: 200 },
    reply: 'project:list',
  },
  'project:add': {
    summary: 'Adds a directory as a project.',
    input: z.strictObject({ path: pathSchema }),
    output: z.object({ project: projectSchema }),
    http: { method: 'POST', path: '/api/project', status: 201 },
    reply: 'project:added',
    announced: true,
  },
  'project:remove': {
    summary: 'Removes a project from the list. Its sessions reappear when it is added again.',
    input: z.strictObject({ projectId: projectIdSchema }),
    output: z.object({ projectId: projectIdSchema }),
    http: { method: 'DELETE', path: '/api/project/:id', status: 200 },
    reply: 'project:removed',
    announced: true,
  },
  'project:look': {
    summary: "Looks at a project's directory now: whether it is trusted, and what its own settings would run.",
    input: z.strictObject({ projectId: projectIdSchema }),
    output: z.object({ project: projectSchema }),
    http: { method: 'GET', path: '/api/project/:id', status: 200 },
    reply: 'project:look',
  },
  'project:trust': {
    summary:
      'Trusts a directory, so that agents load its own settings, or withdraws that. `seen` has the ids of what the user was shown; without it, all that would run now is trusted.',
    input: z.strictObject({
      projectId: projectIdSchema,
      trusted: z.boolean(),
      seen: z.array(z.string().max(64)).max(1_000).optional(),
    }),
    output: z.object({ project: projectSchema }),
    http: { method: 'POST', path: '/api/project/:id/trust', status: 200 },
    reply: 'project:changed',
    announced: true,
  },
  'session:list': {
    summary:
      'Lists the sessions of a project that are not archived, or with `archived` those that are: pinned ones first, then the most recently active.',
    input: z.strictObject({ projectId: projectIdSchema, archived: yesSchema.optional() }),
    output: z.object({ projectId: projectIdSchema, sessions: z.array(sessionListItemSchema) }),
    http: { method: 'GET', path: '/api/session/list', status: 200 },
    reply: 'session:list',
  },
  'session:list-all': {
    summary:
      'Lists the sessions of all projects that are not archived, a page at a time, in a stable order. With `more: true` there are others: ask again with `after`, the id of the last one. The last page says how many are archived in each project that has any.',
    input: z.strictObject({ after: sessionIdSchema.optional() }),
    output: z.object({
      sessions: z.array(sessionListItemSchema),
      more: z.boolean(),
      archived: z.record(projectIdSchema, z.number().int().positive()).optional(),
    }),
    http: { method: 'GET', path: '/api/session/list-all', status: 200 },
    reply: 'session:list-all',
  },
  'session:create': {
    summary:
      'Creates a session. Adds the directory as a project if it is not one yet. With `ask`, refuses with PROJECT_NOT_TRUSTED where the user has not decided yet whether to trust the directory.',
    input: z
      .strictObject({
        cliType: cliTypeSchema,
        projectId: projectIdSchema.optional(),
        projectDir: pathSchema.optional(),
        ask: askSchema,
      })
      .refine(projectChoice.check, projectChoice.message),
    output: z.object({
      sessionId: sessionIdSchema,
      cliType: cliTypeSchema,
      projectId: projectIdSchema,
      session: sessionListItemSchema,
    }),
    http: { method: 'POST', path: '/api/session/create', status: 201 },
    reply: 'session:created',
    announced: true,
  },
  'session:open': {
    summary:
      'Loads a session. On the socket it also subscribes, like `session:subscribe`: the answer is the history, or with `from` the events after that number if the server still has them. With `appends`, text arrives as `session:append`.',
    input: sessionInput.extend({
      from: seqSchema.optional(),
      appends: z.boolean().optional(),
    }),
    output: sessionHandle,
    http: { method: 'POST', path: '/api/session/:id/load', status: 200 },
    reply: 'session:history',
  },
  'session:items': {
    summary: 'Reads the page of a conversation before the entry `before`, oldest entry first.',
    input: sessionInput.extend({ before: itemIdSchema }),
    output: z.object({
      sessionId: sessionIdSchema,
      entries: z.array(upsertObjectSchema),
      turns: z.array(turnSummarySchema),
      more: z.boolean(),
    }),
    http: { method: 'GET', path: '/api/session/:id/items', status: 200 },
    reply: 'session:items',
  },
  'session:status': {
    summary: 'Returns the state of a session and whether its agent process is alive.',
    input: sessionInput,
    output: sessionHandle.extend({ isAlive: z.boolean(), state: sessionStateSchema, running: z.boolean() }),
    http: { method: 'GET', path: '/api/session/:id/status', status: 200 },
    reply: 'session:status',
  },
  'session:warm': {
    summary:
      'Starts the agent of a session, so that it is ready for the next message. Replies at once; a failure is reported to that message.',
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema }),
    http: { method: 'POST', path: '/api/session/:id/warm', status: 202 },
    reply: 'session:warm',
  },
  'session:send': {
    summary:
      'Sends a message. Replies as soon as the message has its turn, not when the turn ends. `ask` as for creating; it also refuses with CONTEXT_UNCERTAIN where the model lost the conversation or we cannot tell, unless `accept` names that state, and with SESSION_CHANGED where the conversation is no longer the one that was shown. With `turnId`, a UUID, it can be repeated: a message whose turn is known is not sent again.',
    input: z.strictObject({
      sessionId: sessionIdSchema,
      content: contentSchema,
      ask: askSchema,
      /** The user was told that the context is so, and wants to send nevertheless. */
      accept: contextStateSchema.extract(['reset', 'unknown']).optional(),
      turnId: z.uuid().optional(),
    }),
    output: z.object({ sessionId: sessionIdSchema, turnId: z.string() }),
    http: { method: 'POST', path: '/api/session/:id/send', status: 202 },
    reply: 'session:send',
  },
  'session:cancel': {
    summary: 'Cancels the running turns of a session. Does nothing if there are none.',
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema }),
    http: { method: 'POST', path: '/api/session/:id/cancel', status: 200 },
    reply: 'session:cancel',
  },
  'session:stop-background': {
    summary: 'Stops background work: that of one item, or all of the session. Nothing happens when none runs.',
    input: sessionInput.extend({ itemId: itemIdSchema.optional() }),
    output: z.object({ sessionId: sessionIdSchema }),
    http: { method: 'POST', path: '/api/session/:id/stop-background', status: 200 },
    reply: 'session:stop-background',
  },
  'session:kill': {
    summary: 'Stops the agent process of a session. The session stays in the list and can be opened again.',
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema }),
    http: { method: 'POST', path: '/api/session/:id/kill', status: 200 },
    reply: 'session:kill',
  },
  'session:archive': {
    summary: 'Stops a session and hides it from the list. `session:unarchive` undoes it.',
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema }),
    http: { method: 'POST', path: '/api/session/:id/archive', status: 200 },
    reply: 'session:archived',
    announced: true,
  },
  'session:unarchive': {
    summary: 'Shows an archived session in the list again. Does nothing to one that is not archived.',
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema, session: sessionListItemSchema }),
    http: { method: 'POST', path: '/api/session/:id/unarchive', status: 200 },
    reply: 'session:unarchived',
    announced: true,
  },
  'session:rename': {
    summary:
      'Gives a session a title, which its first message does not replace. An agent that keeps titles is told: at once, or when it next opens the session.',
    input: sessionInput.extend({ title: titleSchema }),
    output: z.object({ sessionId: sessionIdSchema, title: z.string() }),
    http: { method: 'POST', path: '/api/session/:id/rename', status: 200 },
    reply: 'session:title-updated',
    announced: true,
  },
  'session:pin': {
    summary: 'Puts a session first in the list of its project, or no longer. All windows get `session:changed`.',
    input: sessionInput.extend({ pinned: z.boolean() }),
    output: z.object({ sessionId: sessionIdSchema, pinned: z.boolean() }),
    http: { method: 'POST', path: '/api/session/:id/pin', status: 200 },
    reply: 'session:pin',
  },
  'session:delete': {
    summary:
      "Deletes a session, archived or not, and the agent's own conversation, for good. `left` says what the agent keeps nevertheless. Refuses with SESSION_IN_USE while a turn, background work or a message is under way, or while another program uses the session.",
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema, left: z.string().optional() }),
    http: { method: 'DELETE', path: '/api/session/:id', status: 200 },
    reply: 'session:deleted',
    announced: true,
  },
  'session:export': {
    summary:
      'Returns the whole conversation as one file: Markdown, a self-contained HTML page, or JSON. On the socket at most 4 MiB.',
    input: sessionInput.extend({ format: exportFormatSchema }),
    output: z.object({
      sessionId: sessionIdSchema,
      fileName: z.string(),
      mediaType: z.string(),
      content: z.string(),
    }),
    http: { method: 'GET', path: '/api/session/:id/export', status: 200 },
    reply: 'session:export',
    download: true,
  },
  'session:put-back': {
    summary:
      "Writes the kept copy of a conversation back to its place among the agent's own files, so that the agent can go on with it. Replaces nothing; `files` says how many files were missing.",
    input: sessionInput,
    output: z.object({ sessionId: sessionIdSchema, files: z.number().int().nonnegative() }),
    http: { method: 'POST', path: '/api/session/:id/put-back', status: 200 },
    reply: 'session:put-back',
  },
  'keep:status': {
    summary: "How much room the copies of the agents' transcripts take, and whether they are complete.",
    input: z.strictObject({}),
    output: keepStatusSchema,
    http: { method: 'GET', path: '/api/kept', status: 200 },
    reply: 'keep:status',
  },
  'session:fork': {
    summary:
      'Creates a session that goes on with a copy of a conversation, also while another program has it open: all of it, up to an entry (`itemId`), or another branch of it (`branch`). The conversation itself stays as it is.',
    input: sessionInput.extend({ itemId: itemIdSchema.optional(), branch: branchSchema.shape.id.optional() }),
    output: z.object({
      sessionId: sessionIdSchema,
      cliType: cliTypeSchema,
      projectId: projectIdSchema,
      session: sessionListItemSchema,
    }),
    http: { method: 'POST', path: '/api/session/:id/fork', status: 201 },
    reply: 'session:created',
    announced: true,
  },
  'directory:with-sessions': {
    summary:
      'Lists directories that are no project yet and in which agents were used in a terminal, the most recently used first, at most 100.',
    input: z.strictObject({}),
    output: z.object({
      directories: z.array(
        z.object({ path: z.string(), sessions: z.number().int().positive(), lastActiveAt: z.iso.datetime() }),
      ),
    }),
    http: { method: 'GET', path: '/api/directories/with-sessions', status: 200 },
    reply: 'directory:with-sessions',
  },
  'session:reconnect': {
    summary: 'Reconnects the agent of a session after its retries failed. On the socket also by agent: {cliType}.',
    input: z
      .strictObject({ sessionId: sessionIdSchema.optional(), cliType: cliTypeSchema.optional() })
      .refine(reconnectChoice.check, reconnectChoice.message),
    output: z.object({ cliType: cliTypeSchema, sessionId: sessionIdSchema.optional() }),
    http: { method: 'POST', path: '/api/session/:id/reconnect', status: 200 },
    reply: 'session:reconnect',
  },
  'directory:complete': {
    summary: 'Completes a directory path: at most 50 directories, hidden ones only after a leading dot.',
    input: z.strictObject({ prefix: z.string().max(4096).default('') }),
    output: z.object({ directories: z.array(z.string()), truncated: z.boolean() }),
    http: { method: 'GET', path: '/api/directories', status: 200 },
    reply: 'directory:complete',
  },
} as const satisfies Record<string, CommandShape>;

export type CommandName = keyof typeof commands;
export type CommandInput<N extends CommandName> = z.infer<(typeof commands)[N]['input']>;
export type CommandOutput<N extends CommandName> = z.infer<(typeof commands)[N]['output']>;

export const commandNames = Object.keys(commands) as CommandName[];
