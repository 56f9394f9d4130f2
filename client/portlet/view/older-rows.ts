import type { Environment } from '../base/environment.ts';

export interface OlderRowsOptions {
  readonly scroller: HTMLElement;
  readonly env: Pick<Environment, 'requestFrame' | 'requestIdle'>;
  readonly olderCount: () => number;
  readonly mountOlder: (mayContinue: () => boolean) => void;
  /** Returns a function that tells whether there is still time in this frame. */
  readonly startFrame: () => () => boolean;
  /** The user is near the top and all rows are mounted. */
  readonly onTop: () => void;
  /** False while the page is hidden or text is streaming in. */
  readonly mayUseIdleTime: () => boolean;
}

/** Stop working in an idle period when less than this is left of it. */
const MIN_IDLE_MS = 15;
/** More rows than this are mounted only when the user scrolls up to them. */
const MAX_ROWS_WHEN_IDLE = 2_000;

/** Mounts older rows: at once when the user scrolls near them, otherwise a few at a time while the browser is idle. */
export function createOlderRows(options: OlderRowsOptions) {
  const { scroller, env, olderCount, mountOlder, startFrame, onTop, mayUseIdleTime } = options;
  let isRequested = false;
  let isWaiting = false;
  let mountedWhenIdle = 0;

  const isNearTop = (): boolean => scroller.scrollTop < scroller.clientHeight * 2;

  /** Once per frame, however many events ask for it: each call has the time of a frame. */
  function requestMount(): void {
    if (isRequested) return;
    isRequested = true;
    env.requestFrame(mountNearTop);
  }

  function mountNearTop(): void {
    isRequested = false;
    if (scroller.clientHeight === 0 || !isNearTop()) return;
    if (olderCount() === 0) {
      onTop();
      return;
    }
    mountOlder(startFrame());
    requestMount();
  }

  function mountWhenIdle(): void {
    if (isWaiting || olderCount() === 0 || mountedWhenIdle >= MAX_ROWS_WHEN_IDLE) return;
    isWaiting = true;
    env.requestIdle((timeRemaining) => {
      isWaiting = false;
      if (!mayUseIdleTime()) return;
      const before = olderCount();
      mountOlder(() => timeRemaining() > MIN_IDLE_MS);
      mountedWhenIdle += before - olderCount();
      mountWhenIdle();
    });
  }

  scroller.addEventListener('scroll', requestMount, { passive: true });
  return {
    /** Call when there may be older rows to mount, or time to do so. */
    check(): void {
      // Reading positions right after drawing would force an extra layout; at the start of a frame they are known.
      requestMount();
      mountWhenIdle();
    },
  };
}
