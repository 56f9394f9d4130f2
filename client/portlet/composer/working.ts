import { h, setText } from '../../shared/dom.ts';
import { formatWholeSeconds } from '../duration.ts';
import { sign } from '../signs.ts';

export interface Work {
  readonly since: number;
  readonly lastActivityAt: number;
  readonly isCancelling: boolean;
}

/** Silence that is worth mentioning. */
const QUIET_AFTER = 15_000;

/** Says that the agent works, for how long, and how long it has been quiet. */
export function createWorking(now: () => number) {
  const text = h('span');
  const element = h('p', { class: 'working', hidden: true }, sign('running'), text);
  return {
    element,
    update(work: Work | undefined): void {
      element.hidden = work === undefined;
      if (work !== undefined) setText(text, describe(work, now()));
    },
  };
}

function describe({ since, lastActivityAt, isCancelling }: Work, now: number): string {
  if (isCancelling) return 'Cancelling';
  const elapsed = `Working ${formatWholeSeconds(now - since)}`;
  const quiet = now - lastActivityAt;
  return quiet < QUIET_AFTER ? elapsed : `${elapsed} \u00B7 quiet for ${formatWholeSeconds(quiet)}`;
}
