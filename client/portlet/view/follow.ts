/** Keeps the end of the conversation in view until the user scrolls up, and again once he is back at the end. */
export interface Follow {
  /** Call after the contents changed. */
  afterDraw(): void;
  /** Goes to the end if it is followed. */
  stay(): void;
  toBottom(): void;
  /** Runs a change that adds contents above and keeps what is in view where it is. */
  keepPlace(change: () => void): void;
  dispose(): void;
}

/** This close to the end counts as being there. */
const NEAR = 24;

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

  /** Whether the wheel turns something inside that scrolls by itself, such as a long output. */
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
      // A page that was just hidden has no heights: everything would be its end.
      if (scroller.clientHeight === 0) return;
      const top = scroller.scrollTop;
      // Contents that shrink move the view too, but leave it at the end.
      if (distance() <= 1) set(true);
      else if (top < lastTop) set(false);
      else if (distance() <= NEAR) set(true);
      lastTop = top;
    },
    { passive: true, signal: ended.signal },
  );
  // A smooth scroll begins with steps too small to tell from noise; the wheel says what is meant.
  scroller.addEventListener(
    'wheel',
    ({ deltaY, target }) => {
      if (deltaY < 0 && scroller.scrollTop > 0 && !isInnerScroll(target)) set(false);
    },
    { passive: true, signal: ended.signal },
  );
  // Also for fonts, opened details and rows that come into view. It is called once the browser has laid out the page
  // anyway, before it paints: looking at heights earlier would make it do so twice.
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
