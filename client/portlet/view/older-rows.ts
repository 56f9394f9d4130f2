import type { Environment } from '../base/environment.ts';

export interface OlderRowsOptions {
  readonly scroller: HTMLElement;
  readonly env: Pick<Environment, 'requestFrame' | 'requestIdle'>;
  readonly olderCount: () => number;
  readonly mountOlder: (mayGoOn: () => boolean) => void;
  /** False while mounting would be in the way: the page is hidden or text is streaming in. */
  readonly mayUseIdleTime: () => boolean;
}

/** A moment of idle time is used as long as this many milliseconds of it are left for the next step. */
const RESERVE = 15;
/** Idle time is not spent beyond this many; the rest is mounted only on the way up. */
const MOST_WHEN_IDLE = 2_000;

/** Mounts older rows: at once where the user gets near them, else bit by bit when the browser has nothing to do. */
export function createOlderRows({ scroller, env, olderCount, mountOlder, mayUseIdleTime }: OlderRowsOptions) {
  let isWaiting = false;
  let mountedWhenIdle = 0;

  const isNearTop = (): boolean => scroller.scrollTop < scroller.clientHeight * 2;

  function mountOnTheWay(): void {
    if (olderCount() === 0 || scroller.clientHeight === 0 || !isNearTop()) return;
    mountOlder(() => true);
    env.requestFrame(mountOnTheWay);
  }

  function mountWhenIdle(): void {
    if (isWaiting || olderCount() === 0 || mountedWhenIdle >= MOST_WHEN_IDLE) return;
    isWaiting = true;
    env.requestIdle((timeRemaining) => {
      isWaiting = false;
      if (!mayUseIdleTime()) return;
      const before = olderCount();
      mountOlder(() => timeRemaining() > RESERVE);
      mountedWhenIdle += before - olderCount();
      mountWhenIdle();
    });
  }

  scroller.addEventListener('scroll', mountOnTheWay, { passive: true });
  return {
    /** There may be older rows now, or time for them. */
    check(): void {
      // At the start of a frame positions are known; right after drawing they would have to be worked out twice.
      env.requestFrame(mountOnTheWay);
      mountWhenIdle();
    },
  };
}
