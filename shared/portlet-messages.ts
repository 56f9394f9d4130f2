import { z } from 'zod';
import { commands, MAX_CONTENT_LENGTH } from './commands.ts';
import { sessionListItemSchema } from './entities.ts';
import { errorBodySchema } from './errors.ts';
import {
  agentStatusMessageSchema,
  appendMessageSchema,
  resumedMessageSchema,
  turnMessageSchema,
  unreadHistorySchema,
  unreadItemsSchema,
  upsertMessageSchema,
} from './events.ts';
import { sessionIdSchema } from './ids.ts';

/** `postMessage` messages between the shell and the session page of a tab. The window tells which session is meant. */

export const connectionStateSchema = z.enum(['connecting', 'connected', 'disconnected', 'reconnecting']);
export type ConnectionState = z.infer<typeof connectionStateSchema>;

export const themeSchema = z.enum(['system', 'dark', 'light']);
export type Theme = z.infer<typeof themeSchema>;

/** Which background work to stop: that of one item, or all of the session. */
const oneOrAll = { itemId: commands['session:stop-background'].input.shape.itemId };

/** The page chooses the id of a turn when the user sends its message, so that the message can be sent again. */
const turnId = commands['session:send'].input.shape.turnId.unwrap();

export const shellToPortletSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session:info'),
    title: z.string(),
    agentLabel: z.string(),
    cliType: z.string(),
    projectPath: z.string(),
    demo: z.boolean(),
    background: sessionListItemSchema.shape.background,
    access: sessionListItemSchema.shape.access,
    heldBy: sessionListItemSchema.shape.heldBy,
    context: sessionListItemSchema.shape.context,
    branches: sessionListItemSchema.shape.branches,
    /** The session that `context.from` names, if it is known: it can be opened. */
    origin: z.object({ sessionId: sessionIdSchema, title: z.string() }).optional(),
    /** Set if the directory has settings that are not trusted: the agent runs without them, or is not started. */
    untrusted: z.enum(['left-out', 'not-started']).optional(),
  }),
  // The events of the session as they came. The parts of a history are parsed one by one, newest first, where they are
  // taken in: all at once would hold up the first paint.
  unreadHistorySchema,
  upsertMessageSchema,
  appendMessageSchema,
  turnMessageSchema,
  resumedMessageSchema,
  agentStatusMessageSchema,
  /** An older page of the conversation, or why it could not be read. */
  z.object({ type: z.literal('session:page'), before: z.string(), ...unreadItemsSchema.shape }),
  z.object({ type: z.literal('session:page-failed'), before: z.string(), error: errorBodySchema }),
  z.object({ type: z.literal('session:sent'), turnId }),
  /** The server refused the message. */
  z.object({ type: z.literal('session:send-failed'), turnId, error: errorBodySchema }),
  /** Nobody answered: the server may or may not have the message. */
  z.object({ type: z.literal('session:send-unanswered'), turnId }),
  /** Background work could not be stopped: that of one item, or all of the session. */
  z.object({ type: z.literal('session:stop-failed'), ...oneOrAll, error: errorBodySchema }),
  /** The agent's transcript could not be put back. Otherwise a snapshot follows. */
  z.object({ type: z.literal('session:put-back-failed'), error: errorBodySchema }),
  z.object({ type: z.literal('session:fork-failed'), error: errorBodySchema }),
  z.object({ type: z.literal('session:error'), error: errorBodySchema }),
  z.object({ type: z.literal('connection'), state: connectionStateSchema }),
  z.object({ type: z.literal('theme'), theme: themeSchema }),
  z.object({ type: z.literal('portlet:shown') }),
  z.object({ type: z.literal('portlet:focus') }),
]);
export type ShellToPortlet = z.infer<typeof shellToPortletSchema>;

export const portletToShellSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('portlet:ready') }),
  /** The page has drawn the conversation and reacts. */
  z.object({ type: z.literal('portlet:drawn') }),
  z.object({
    type: z.literal('session:send'),
    turnId,
    content: z.string().max(MAX_CONTENT_LENGTH),
    accept: commands['session:send'].input.shape.accept,
  }),
  /** The user wants to go on with a copy of this conversation, or of another branch of it. */
  z.object({ type: z.literal('session:fork'), branch: commands['session:fork'].input.shape.branch }),
  /** The user wants to see another session. */
  z.object({ type: z.literal('session:open'), sessionId: sessionIdSchema }),
  /** The user types, so the agent will be needed. */
  z.object({ type: z.literal('session:warm') }),
  z.object({ type: z.literal('session:cancel') }),
  z.object({ type: z.literal('session:stop-background'), ...oneOrAll }),
  z.object({ type: z.literal('session:reconnect') }),
  /** The user wants to go on with a conversation that the agent no longer has. */
  z.object({ type: z.literal('session:put-back') }),
  /** The user wants to decide about the trust in the directory. */
  z.object({ type: z.literal('session:trust') }),
  /** The page has lost what it had, or missed an event: it needs a snapshot. */
  z.object({ type: z.literal('session:reload') }),
  /** The page wants the entries before this one. */
  z.object({ type: z.literal('session:older'), before: z.string().min(1).max(1024) }),
  /** A key for the shell that was pressed while the session page had the focus. */
  z.object({
    type: z.literal('shell:key'),
    key: z.enum(['filter', 'sidebar', 'close-tab']).or(z.string().regex(/^tab-[1-9]$/)),
  }),
]);
export type PortletToShell = z.infer<typeof portletToShellSchema>;
