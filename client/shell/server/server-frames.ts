import { z } from 'zod';
import { projectSchema, sessionListItemSchema } from '../../../shared/entities.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import { cliTypeSchema, projectIdSchema, requestIdSchema, sessionIdSchema } from '../../../shared/ids.ts';
import { agentStatusMessageSchema } from '../../../shared/messages.ts';

/**
 * The part of a server frame that the shell reads. The conversation itself (upserts, turns, history) is forwarded
 * unparsed: the session page parses it, and parsing a long history twice would be noticeable.
 */
export const serverFrameSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auth:ok') }),
  z.object({ type: z.literal('session:upsert'), sessionId: sessionIdSchema, payload: z.unknown() }),
  z.object({
    type: z.literal('session:turn'),
    sessionId: sessionIdSchema,
    payload: z.looseObject({ type: z.string() }),
  }),
  z.object({
    type: z.literal('session:history'),
    sessionId: sessionIdSchema,
    entries: z.array(z.unknown()),
    turns: z.array(z.looseObject({ status: z.string() })),
  }),
  z.object({ type: z.literal('project:added'), project: projectSchema }),
  z.object({ type: z.literal('project:removed'), projectId: projectIdSchema }),
  z.object({
    type: z.literal('session:created'),
    sessionId: sessionIdSchema,
    cliType: cliTypeSchema,
    projectId: projectIdSchema,
    session: sessionListItemSchema,
  }),
  z.object({ type: z.literal('session:archived'), sessionId: sessionIdSchema }),
  z.object({ type: z.literal('session:title-updated'), sessionId: sessionIdSchema, title: z.string() }),
  z.object({ type: z.literal('session:changed'), sessionId: sessionIdSchema, session: sessionListItemSchema }),
  agentStatusMessageSchema,
  z.object({ type: z.literal('error'), ...errorBodySchema.shape }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

/** A response to a request: an error, or the output of the command under the type given in the command table. */
export const responseFrameSchema = z.looseObject({ type: z.string(), requestId: requestIdSchema });
