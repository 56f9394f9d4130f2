import { z } from 'zod';

/** Names an agent. Not an enum, because agents can be added by configuration. */
export const cliTypeSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected lower-case letters, digits and dashes, at most 32, a letter first');
export type CliType = z.infer<typeof cliTypeSchema>;

export const nativeIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'expected letters, digits, dots, dashes and underscores, at most 128');

/** The id of a session everywhere outside a provider: `{cliType}:{nativeId}`. */
export const sessionIdSchema = z
  .string()
  .max(161)
  .regex(
    /^[a-z][a-z0-9-]{0,31}:[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'expected a session id of the form cliType:nativeId',
  );
export type SessionId = z.infer<typeof sessionIdSchema>;

export const projectIdSchema = z.uuid('expected a project id (a UUID)');
/** Counts the events of one session: 1, 2, 3 … while it is in memory, and no number is ever used twice. */
export const seqSchema = z.number().int().nonnegative();

export const requestIdSchema = z.string().min(1).max(128);

export function toCanonical(cliType: string, nativeId: string): SessionId {
  return `${cliType}:${nativeId}`;
}

export function fromCanonical(sessionId: SessionId): { cliType: CliType; nativeId: string } {
  const colon = sessionId.indexOf(':');
  return { cliType: sessionId.slice(0, colon), nativeId: sessionId.slice(colon + 1) };
}
