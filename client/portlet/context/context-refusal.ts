import { z } from 'zod';
import { type Context, contextSchema } from '../../../shared/entities.ts';
import type { ErrorBody } from '../../../shared/errors.ts';

const detailsSchema = z.object({ context: contextSchema });

/** What the server says of the context if it wants to be told that the user knows of it. */
export function contextOf({ code, details }: ErrorBody): Context | undefined {
  if (code !== 'CONTEXT_UNCERTAIN') return undefined;
  const parsed = detailsSchema.safeParse(details);
  return parsed.success ? parsed.data.context : { state: 'unknown' };
}
