import { z } from 'zod';
import { sessionMetaSchema } from '../../shared/entities.ts';
import { turnSummarySchema, upsertObjectSchema } from '../../shared/stream-contracts.ts';

export const EXPORT_FORMAT = 'liminal-builder-session';
export const EXPORT_VERSION = 1;

/** A session as a JSON file: everything that was shown, as it is kept. */
export const exportedSessionSchema = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: z.iso.datetime(),
  session: sessionMetaSchema
    .pick({ id: true, title: true, cliType: true, createdAt: true, lastActiveAt: true })
    .extend({ projectPath: z.string().optional() }),
  entries: z.array(upsertObjectSchema),
  turns: z.array(turnSummarySchema),
});
