import { h } from '../../../shared/dom.ts';

/** A `<details>` that opens and closes automatically until the user toggles it. Its contents are drawn on opening. */
export interface Disclosure {
  readonly element: HTMLDetailsElement;
  readonly summary: HTMLElement;
  /** Opens or closes it, unless the user has toggled it. */
  suggest(isOpen: boolean): void;
  isOpen(): boolean;
}

export function createDisclosure(className: string, onOpen: () => void): Disclosure {
  const summary = h('summary');
  const element = h('details', { class: className }, summary);
  let isUserControlled = false;
  summary.addEventListener('click', () => {
    isUserControlled = true;
    // The element opens after this event, so the contents must be drawn now.
    if (!element.open) onOpen();
  });
  return {
    element,
    summary,
    isOpen: () => element.open,
    suggest(isOpen) {
      if (isUserControlled || element.open === isOpen) return;
      if (isOpen) onOpen();
      element.open = isOpen;
    },
  };
}
