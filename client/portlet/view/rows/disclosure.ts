import { h } from '../../../shared/dom.ts';

/** A `<details>` that opens and closes by itself until the user decides. Its contents are made when it is first open. */
export interface Disclosure {
  readonly element: HTMLDetailsElement;
  readonly summary: HTMLElement;
  /** Opens or closes it, unless the user has chosen. */
  suggest(isOpen: boolean): void;
  isOpen(): boolean;
}

export function createDisclosure(className: string, onOpen: () => void): Disclosure {
  const summary = h('summary');
  const element = h('details', { class: className }, summary);
  let isChosen = false;
  summary.addEventListener('click', () => {
    isChosen = true;
    // The element opens after this event; its contents must be there by then.
    if (!element.open) onOpen();
  });
  return {
    element,
    summary,
    isOpen: () => element.open,
    suggest(isOpen) {
      if (isChosen || element.open === isOpen) return;
      if (isOpen) onOpen();
      element.open = isOpen;
    },
  };
}
