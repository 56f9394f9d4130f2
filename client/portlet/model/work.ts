import { formatWholeSeconds } from '../base/duration.ts';

/** The work of the agent on the current turn. */
export interface Work {
  readonly since: number;
  readonly lastActivityAt: number;
  readonly isCancelling: boolean;
}

/** Shorter silences are not mentioned. */
const QUIET_AFTER_MS = 15_000;

/** How long the agent has been working and, if long enough, quiet. */
export function describeWork({ since, lastActivityAt, isCancelling }: Work, now: number): string {
  if (isCancelling) return 'cancelling';
  const elapsed = `working ${formatWholeSeconds(now - since)}`;
  const quiet = now - lastActivityAt;
  return quiet < QUIET_AFTER_MS ? elapsed : `${elapsed}, quiet for ${formatWholeSeconds(quiet)}`;
}
