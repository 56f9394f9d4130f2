/** Keeps the end of the conversation in view, except while the user has scrolled up. */
export interface Follow {
  /** Call after the contents have changed. */
  afterDraw(): void;
  /** Scrolls to the end if it is being followed. */
  stay(): void;
  toBottom(): void;
  /** Runs a change that adds contents above, without moving what is in view. */
  keepPlace(change: () => void): void;
  dispose(): void;
}

/** Scrolling this close to the end counts as reaching it. */
const NEAR_END_PX = 24;

export function createFollow(
  scroller: HTMLElement,
  content: HTMLElement,
  onChange: (following: boolean) => void,
): Follow {
  let following = true;
  let lastTop = 0;
  const ended = new AbortController();

  const distance = (): number => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;

  function set(next: boolean): void {
    if (next === following) return;
    following = next;
    onChange(following);
  }

  function toBottom(): void {
    scroller.scrollTop = scroller.scrollHeight;
    lastTop = scroller.scrollTop;
    set(true);
  }

  /** Whether the wheel scrolls an element inside the log, such as a long output. */
  function isInnerScroll(target: EventTarget | null): boolean {
    const inner = target instanceof Element ? target.closest('[tabindex]') : null;
    return inner !== null && inner !== scroller && inner.scrollTop > 0;
  }

  function stay(): void {
    if (following) toBottom();
  }

  scroller.addEventListener(
    'scroll',
    () => {
      // A hidden page has no heights, so every position would look like the end.
      if (scroller.clientHeight === 0) return;
      const top = scroller.scrollTop;
      // Shrinking contents also move the view up, but leave it at the end.
      if (distance() <= 1) set(true);
      else if (top < lastTop) set(false);
      else if (distance() <= NEAR_END_PX) set(true);
      lastTop = top;
    },
    { passive: true, signal: ended.signal },
  );
  // The first steps of a smooth scroll are too small to tell from noise, but the wheel shows the intention.
  scroller.addEventListener(
    'wheel',
    ({ deltaY, target }) => {
      if (deltaY < 0 && scroller.scrollTop > 0 && !isInnerScroll(target)) set(false);
    },
    { passive: true, signal: ended.signal },
  );
  // Also covers loaded fonts, opened details and rows that come into view. The observer runs after layout and before
  // paint; reading heights earlier would force a second layout.
  const resizes = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(stay);
  resizes?.observe(content);
  resizes?.observe(scroller);

  return {
    stay,
    afterDraw() {
      if (resizes === undefined) stay();
    },
    toBottom,
    keepPlace(change) {
      const fromEnd = scroller.scrollHeight - scroller.scrollTop;
      change();
      scroller.scrollTop = scroller.scrollHeight - fromEnd;
      lastTop = scroller.scrollTop;
    },
    dispose() {
      ended.abort();
      resizes?.disconnect();
    },
  };
}
