import { z } from 'zod';
import { commandNames, commands } from './commands.ts';
import type { EventMessage } from './events.ts';
import { requestIdSchema, sessionIdSchema } from './ids.ts';

/** Frames on the socket at `/ws` other than events. One JSON object per frame. */

/** Close code for a socket that did not authenticate in time or failed to, and for all when the token is renewed. */
export const CLOSE_UNAUTHORIZED = 4401;

/** For scripts. A page proves that it knows a secret instead of sending it; see handshake.ts. */
export const authMessageSchema = z.strictObject({ type: z.literal('auth'), token: z.string().max(512) });

/** What every client frame has: a type, and an id that the answer repeats. The rest is the command's input. */
export const clientFrameSchema = z.looseObject({
  type: z.enum([...commandNames, 'session:subscribe', 'session:unsubscribe']),
  requestId: requestIdSchema.optional(),
});
export type ClientFrame = z.infer<typeof clientFrameSchema>;

export const subscriptionSchema = commands['session:open'].input;
export type Subscription = z.infer<typeof subscriptionSchema>;

export const unsubscriptionSchema = z.strictObject({ sessionId: sessionIdSchema });

/** An answer to a request: an error, or the output of the command under the type that its table names. */
export const answerFrameSchema = z.looseObject({ type: z.string(), requestId: requestIdSchema });

/** An event, or an answer under the type that the command's table names. */
export type ServerMessage = EventMessage | { readonly type: string };
