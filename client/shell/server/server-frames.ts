import { z } from 'zod';
import { unreadEventSchema } from '../../../shared/events.ts';

/** What the shell reads of a frame from the server. Conversations are passed on unread to the session page. */
export const serverFrameSchema = z.discriminatedUnion('type', [...unreadEventSchema.options]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;
