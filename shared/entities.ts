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
