import { z } from 'zod';
import { AppError, type ErrorCode } from './errors.ts';

/** Describes each problem: the field, what was expected, what was received. */
export function describeProblems(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.length === 0 ? 'value' : z.core.toDotPath(issue.path)}: ${issue.message}`)
    .join('; ');
}

/** An AppError whose message names every invalid field. */
export function invalidInput(error: z.ZodError, code: ErrorCode = 'INVALID_MESSAGE'): AppError {
  return new AppError(code, `Invalid request payload. ${describeProblems(error)}`, {
    details: error.issues.map((issue) => ({ path: issue.path.map(String), message: issue.message })),
  });
}
