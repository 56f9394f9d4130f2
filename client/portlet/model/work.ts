import { formatWholeSeconds } from '../base/duration.ts';

/** What the agent is doing at the moment. */
export interface Work {
  readonly since: number;
  readonly lastActivityAt: number;
  readonly isCancelling: boolean;
}

/** Silence that is worth mentioning. */
const QUIET_AFTER = 15_000;

/** How long it has been working, and how long it has been quiet. */
export function describeWork({ since, lastActivityAt, isCancelling }: Work, now: number): string {
  if (isCancelling) return 'cancelling';
  const elapsed = `working ${formatWholeSeconds(now - since)}`;
  const quiet = now - lastActivityAt;
  return quiet < QUIET_AFTER ? elapsed : `${elapsed}, quiet for ${formatWholeSeconds(quiet)}`;
}
