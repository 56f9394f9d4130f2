import type { Environment } from './environment.ts';

/** A draw that takes longer is followed by a rest: the page stays usable however much there is to draw. */
const QUICK = 50;
const REST = 2;

/** Runs `draw` once in the next animation frame, however often it is asked for until then. */
export function oncePerFrame({ requestFrame, now }: Pick<Environment, 'requestFrame' | 'now'>, draw: () => void) {
  let isRequested = false;
  let restUntil = 0;

  function run(): void {
    const start = now();
    if (start < restUntil) {
      requestFrame(run);
      return;
    }
    isRequested = false;
    draw();
    const cost = now() - start;
    restUntil = cost > QUICK ? now() + cost * REST : 0;
  }

  return (): void => {
    if (isRequested) return;
    isRequested = true;
    requestFrame(run);
  };
}
