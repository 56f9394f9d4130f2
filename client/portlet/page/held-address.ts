import { setAttribute } from '../../shared/dom.ts';

interface HeldLink {
  readonly link: HTMLElement;
  readonly href: string;
  readonly title: string | null;
}

/**
 * Chromium connects to the target of a link as soon as a button is pressed on it, before any listener of the page runs
 * and even if no click follows. So a link under the pointer has no address until it is clicked or its menu is opened;
 * meanwhile its tooltip shows where it leads.
 */
export function holdAddresses(root: HTMLElement, signal: AbortSignal): void {
  let held: HeldLink | undefined;

  function release(): void {
    if (held === undefined) return;
    const { link, href, title } = held;
    held = undefined;
    setAttribute(link, 'href', href);
    setAttribute(link, 'title', title);
    setAttribute(link, 'role', null);
    setAttribute(link, 'tabindex', null);
  }

  function hold(link: HTMLElement): void {
    const href = link.getAttribute('href') ?? '';
    const title = link.getAttribute('title');
    held = { link, href, title };
    setAttribute(link, 'role', 'link');
    // Keeps the focus, which an element that is no link would lose.
    setAttribute(link, 'tabindex', 0);
    setAttribute(link, 'href', null);
    setAttribute(link, 'title', title === null ? href : `${title}\n${href}`);
  }

  function follow({ target }: Event): void {
    const link = target instanceof Element ? target.closest<HTMLElement>('a') : null;
    if (link === held?.link) return;
    release();
    if (link?.hasAttribute('href')) hold(link);
  }

  const options = { signal, capture: true, passive: true };
  for (const type of ['pointerover', 'pointermove']) root.addEventListener(type, follow, options);
  for (const type of ['click', 'auxclick', 'contextmenu', 'copy', 'pointerleave', 'pointercancel']) {
    root.addEventListener(type, release, options);
  }
  root.addEventListener('keydown', ({ key }) => key === 'Enter' && release(), options);
}
