import type { ErrorBody } from '../../../shared/errors.ts';

/** The end of a request: what was asked for, or why not, in words for the user. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorBody };

export const success = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failure = (error: ErrorBody): { readonly ok: false; readonly error: ErrorBody } => ({ ok: false, error });

/** The catalogue names what the server says; a server that says nothing is reported under its general code. */
export const unreachable = failure({
  code: 'INTERNAL_ERROR',
  message: 'The server cannot be reached. Check that it is running, then try again.',
});

export const notUnderstood = failure({
  code: 'INTERNAL_ERROR',
  message: 'The server sent an answer that this page does not understand. Reload the page.',
});
