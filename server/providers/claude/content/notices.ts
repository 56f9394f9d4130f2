export interface Retry {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  /** The HTTP status, or null if there was no response. */
  readonly status: number | null;
}

export const COMPACTED = 'The conversation was compacted: Claude goes on with a summary of what came before.';
export const INTERRUPTED = 'Interrupted by the user.';
export const CLEARED =
  'Claude Code began a fresh conversation, which does not belong to this session. ' +
  'The next message goes on with the conversation above; create a new session to start afresh.';
export const NOT_SIGNED_IN =
  'Claude Code is not signed in. Run "claude" in a terminal and sign in with /login, or set ANTHROPIC_API_KEY, ' +
  'then send the message again.';
export const WRITES_LOST =
  'Claude Code could not save this conversation because the disk is full. Free some space, or it will be missing later.';

export function describeLongLine(bytes: number): string {
  return `An entry of ${Math.round(bytes / 1e6)} MB is too long to be shown.`;
}

export function describeRetry({ attempt, maxAttempts, delayMs, status }: Retry): string {
  const seconds = (delayMs / 1000).toFixed(1);
  return `${describeStatus(status)}. Trying again in ${seconds} s (attempt ${attempt} of ${maxAttempts}).`;
}

function describeStatus(status: number | null): string {
  if (status === null) return 'The connection to the model broke';
  if (status === 401 || status === 403) return `The model refused the sign-in (${status})`;
  if (status === 429) return 'The rate limit of the model is reached (429)';
  if (status === 529) return 'The model is overloaded (529)';
  if (status >= 500) return `The model's server failed (${status})`;
  return `The model answered with an error (${status})`;
}
