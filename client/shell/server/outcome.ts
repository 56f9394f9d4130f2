import type { ErrorBody } from '../../../shared/errors.ts';

/** The result of a request: a value, or an error with a message for the user. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorBody };

export const success = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failure = (error: ErrorBody): { readonly ok: false; readonly error: ErrorBody } => ({ ok: false, error });

/** The error catalogue has no code for a server that does not answer, so the general one is used. */
export const unreachable = failure({
  code: 'INTERNAL_ERROR',
  message: 'The server cannot be reached. Check that it is running, then try again.',
});

export const notUnderstood = failure({
  code: 'INTERNAL_ERROR',
  message: 'The server sent a response that this page does not understand. Reload the page.',
});
