import { z } from 'zod';
import { AppError, type ErrorCode } from './errors.ts';

/** One line per problem: which field, what was expected, what came. */
export function describeProblems(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? 'value' : z.core.toDotPath(issue.path)}: ${issue.message}`)
    .join('; ');
}

/** A coded error whose message names every wrong field. */
export function invalidInput(error: z.ZodError, code: ErrorCode = 'INVALID_MESSAGE'): AppError {
  return new AppError(code, `Invalid request payload. ${describeProblems(error)}`, {
    details: error.issues.map((issue) => ({ path: issue.path.map(String), message: issue.message })),
  });
}
