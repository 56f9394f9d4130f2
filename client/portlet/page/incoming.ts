import { z } from 'zod';
import { type ShellToPortlet, shellToPortletSchema } from '../../../shared/portlet-messages.ts';

/** The entries are parsed later, in batches: parsing them all at once would delay the first paint. */
const historySchema = z.object({
  type: z.literal('session:history'),
  entries: z.array(z.unknown()),
  turns: z.array(z.unknown()),
});

export type Incoming = z.infer<typeof historySchema> | Exclude<ShellToPortlet, { type: 'session:history' }>;

/** The messages that the session page accepts from the shell. */
export const incomingSchema: z.ZodType<Incoming> = z.union([historySchema, shellToPortletSchema]);
