import { z } from 'zod';
import { cliTypeSchema, projectIdSchema, sessionIdSchema } from './ids.ts';

const timestampSchema = z.iso.datetime();

/**
 * Something that a directory's own settings would run or widen when an agent starts there. `wouldRun` in a project lists
 * all of it, for every agent.
 */
export const wouldRunSchema = z.object({
  /** A hash of everything that decides what runs. */
  id: z.string(),
  /** The agent that reads it. */
  cliType: cliTypeSchema,
  kind: z.enum([
    'hook',
    'mcp-server',
    'helper',
    'env',
    'status-line',
    'plugin',
    'rule',
    'skill',
    'command',
    'agent',
    'setting',
    'unreadable',
  ]),
  name: z.string(),
  /** The command or value, shortened. */
  detail: z.string(),
  /** Relative to the directory. */
  file: z.string(),
  /** It appeared after the directory was trusted. */
  isNew: z.literal(true).optional(),
});
export type WouldRun = z.infer<typeof wouldRunSchema>;

/** What the user decided. `unknown` where nobody was asked yet, or where something new appeared since. */
export const trustSchema = z.enum(['trusted', 'untrusted', 'unknown']);
export type Trust = z.infer<typeof trustSchema>;

export const projectSchema = z.object({
  id: projectIdSchema,
  path: z.string().min(1),
  name: z.string(),
  addedAt: timestampSchema,
  /** If `wouldRun` is empty, nothing depends on it. */
  trust: trustSchema,
  wouldRun: z.array(wouldRunSchema),
});
export type Project = z.infer<typeof projectSchema>;

/** What we store about a session. The conversation belongs to the agent and is read from it. */
export const sessionMetaSchema = z.object({
  id: sessionIdSchema,
  projectId: projectIdSchema,
  cliType: cliTypeSchema,
  archived: z.boolean(),
  title: z.string(),
  lastActiveAt: timestampSchema,
  createdAt: timestampSchema,
  /** A message was sent in it. Absent in files of older versions. */
  used: z.boolean().optional(),
  /** No event of the session has a higher number. Absent until the first number is reserved. */
  seqCeiling: z.number().int().nonnegative().optional(),
  pinned: z.boolean().optional(),
  /** The user chose the title, so that no message replaces it. */
  titleChosen: z.boolean().optional(),
  /** The agent has not been told the chosen title yet. */
  titleUntold: z.boolean().optional(),
  /** It was begun in a terminal and has been used or changed here since. Absent for sessions of our own. */
  source: z.literal('terminal').optional(),
  run: z.literal(true).optional(),
  /** Where it was begun, if that is another directory than its project's. */
  cwd: z.string().min(1).optional(),
  /** The session that this one was forked from, or that was cleared when this one began. */
  origin: z.object({ from: sessionIdSchema, how: z.enum(['forked', 'cleared']), at: timestampSchema }).optional(),
});
export type SessionMeta = z.infer<typeof sessionMetaSchema>;

/** The title of a session until its first message gives it one. */
export const PLACEHOLDER_TITLE = 'New Session';

/** `closed`: not in memory. `dead`: the agent process exited unexpectedly; the next message starts it again. */
export const sessionStateSchema = z.enum(['open', 'loading', 'closed', 'dead']);
export type SessionState = z.infer<typeof sessionStateSchema>;

/**
 * What happens when an agent asks for a permission in a session: it is given (`normal`), or denied because the user chose
 * plan mode, a read-only mode, or that nothing is to be asked.
 */
export const accessModeSchema = z.enum(['normal', 'plan', 'read-only', 'never-ask']);
export type AccessMode = z.infer<typeof accessModeSchema>;

/** Another program on this machine that has a session open. */
export const holderSchema = z.object({
  /** What it is, for people: the name of the agent. */
  label: z.string(),
  pid: z.number().int().positive().optional(),
  /** The terminal it runs in, such as `pts/3`. */
  tty: z.string().optional(),
  since: timestampSchema.optional(),
  /** What it does, if it says so. */
  status: z.enum(['idle', 'busy', 'waiting']).optional(),
  /** False where only a growing transcript tells that somebody writes to it: then it may be. */
  certain: z.boolean(),
});
export type Holder = z.infer<typeof holderSchema>;

/**
 * What the model is given with the next message: nothing yet (`fresh`), all of the conversation (`resumed`), a summary and
 * what came after it (`compacted`), what another session had (`forked`), nothing from before `/clear` (`cleared`), nothing
 * of what is shown (`reset`), or we cannot tell (`unknown`).
 */
export const contextStateSchema = z.enum(['fresh', 'resumed', 'compacted', 'forked', 'cleared', 'reset', 'unknown']);
export type ContextState = z.infer<typeof contextStateSchema>;

export const contextSchema = z.object({
  state: contextStateSchema,
  /** How many messages the model is given. Absent if that is not known. */
  messages: z.number().int().nonnegative().optional(),
  /** When the context was last compacted, forked or cleared. */
  at: timestampSchema.optional(),
  /** The session that it was forked from, or that was cleared. */
  from: sessionIdSchema.optional(),
  /** Why it is `reset` or `unknown`, in a sentence. */
  reason: z.string().optional(),
});
export type Context = z.infer<typeof contextSchema>;

/** A part of a conversation that the agent would not continue: somebody went back, or two programs wrote at once. */
export const branchSchema = z.object({
  /** The agent's id of its last entry. */
  id: z.string().min(1).max(256),
  /** When its last entry was written. */
  at: timestampSchema.optional(),
  /** How many messages of the user it has that the conversation lacks. */
  turns: z.number().int().positive(),
  /** The beginning of the first of them. */
  text: z.string(),
});
export type Branch = z.infer<typeof branchSchema>;

/** `id` and `sessionId` are the same value: the socket's lists have always said `id`, the HTTP routes `sessionId`. */
export const sessionListItemSchema = z.object({
  id: sessionIdSchema,
  sessionId: sessionIdSchema,
  projectId: projectIdSchema,
  cliType: cliTypeSchema,
  title: z.string(),
  lastActiveAt: timestampSchema,
  createdAt: timestampSchema,
  state: sessionStateSchema,
  /** A turn is running. */
  running: z.boolean(),
  /** How many background tasks run. */
  background: z.number().int().nonnegative(),
  /** Its last turn ended with an error. Known once the session was open. */
  failed: z.boolean(),
  pinned: z.boolean(),
  /** There is a copy of the agent's transcript, complete when it was last looked at. */
  kept: z.boolean(),
  /** Absent while it is not known. */
  access: accessModeSchema.optional(),
  /** Where it was begun. */
  source: z.enum(['here', 'terminal']),
  /** It was begun by a program or a single command (`claude -p`, `codex exec`), not by a conversation. */
  run: z.literal(true).optional(),
  heldBy: holderSchema.optional(),
  /** Absent while it is not known: it is worked out when the session is opened. */
  context: contextSchema.optional(),
  /** As in `session:history`. Known with the context. */
  branches: z.array(branchSchema).optional(),
});
export type SessionListItem = z.infer<typeof sessionListItemSchema>;

/** Copies of the agents' transcripts in the data directory. */
export const keepStatusSchema = z.object({
  /** Copies are made. */
  on: z.boolean(),
  /** How much room the copies take. */
  bytes: z.number().int().nonnegative(),
  sessions: z.number().int().nonnegative(),
  files: z.number().int().nonnegative(),
  limitBytes: z.number().int().nonnegative(),
  /** `full`: the limit is reached, so nothing more is copied. `failed`: something could not be copied. */
  state: z.enum(['idle', 'copying', 'full', 'failed', 'off']),
  /** What happened and what to do, unless all is well. */
  message: z.string().optional(),
});
export type KeepStatus = z.infer<typeof keepStatusSchema>;

export const agentStatusSchema = z.enum(['idle', 'starting', 'connected', 'disconnected', 'reconnecting']);
export type AgentStatus = z.infer<typeof agentStatusSchema>;

/** One agent as the picker and `/api/health` show it. */
export const providerInfoSchema = z.object({
  cliType: cliTypeSchema,
  label: z.string(),
  available: z.boolean(),
  /** Why the agent is not available and what to do about it. */
  reason: z.string().optional(),
  /** It can start in a directory that is not trusted, without the directory's own settings. */
  leavesOutProjectSettings: z.boolean().optional(),
});
export type ProviderInfo = z.infer<typeof providerInfoSchema>;
