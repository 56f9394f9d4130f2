import { z } from 'zod';
import { type ShellToPortlet, shellToPortletSchema } from '../../../shared/portlet-messages.ts';

/** Its parts are parsed one by one where they are taken in, newest first: all at once would hold up the first paint. */
const historySchema = z.object({
  type: z.literal('session:history'),
  entries: z.array(z.unknown()),
  turns: z.array(z.unknown()),
});

export type Incoming = z.infer<typeof historySchema> | Exclude<ShellToPortlet, { type: 'session:history' }>;

/** What the session page accepts from the shell. */
export const incomingSchema: z.ZodType<Incoming> = z.union([historySchema, shellToPortletSchema]);
