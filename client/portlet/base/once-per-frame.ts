import type { Environment } from './environment.ts';

/** After a draw that took longer, the next one waits a multiple of that time, so that the page stays responsive. */
const SLOW_DRAW_MS = 50;
const PAUSE_FACTOR = 2;

/** Returns a function that requests `draw` for the next animation frame, however often it is called until then. */
export function oncePerFrame({ requestFrame, now }: Pick<Environment, 'requestFrame' | 'now'>, draw: () => void) {
  let isRequested = false;
  let pausedUntil = 0;

  function run(): void {
    const start = now();
    if (start < pausedUntil) {
      requestFrame(run);
      return;
    }
    isRequested = false;
    draw();
    const cost = now() - start;
    pausedUntil = cost > SLOW_DRAW_MS ? now() + cost * PAUSE_FACTOR : 0;
  }

  return (): void => {
    if (isRequested) return;
    isRequested = true;
    requestFrame(run);
  };
}
