import { z } from 'zod';
import { AppError, type ErrorCode } from './errors.ts';

/** One line per problem: which field, what was expected, what came. */
export function describeProblems(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? 'value' : z.core.toDotPath(issue.path)}: ${issue.message}`)
    .join('; ');
}

/** Parses at a border; throws a coded error whose message names every wrong field. */
export function parseOrThrow<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCode = 'INVALID_MESSAGE'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError(code, `Invalid request payload. ${describeProblems(result.error)}`, {
    details: result.error.issues.map((issue) => ({ path: issue.path.map(String), message: issue.message })),
  });
}
