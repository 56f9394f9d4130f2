import { h } from '../../shared/dom.ts';
import { type IconName, icon } from '../../shared/icons.ts';
import type { Point } from '../widgets/menu.ts';

/** A small button at the end of a row, outside the tab order until its row is the current one. */
export function rowAction(
  attributes: Readonly<Record<string, unknown>>,
  name: IconName,
  onClick: () => void,
): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'quiet icon row-action', tabindex: -1, ...attributes, on: { click: onClick } },
    icon(name),
  );
}

/** Calls back for a right click or the menu key. The point is undefined for a key. */
export function listenForMenu(element: HTMLElement, onMenu: (at: Point | undefined) => void): void {
  element.addEventListener('contextmenu', (event) => {
    // A text field has a menu of its own.
    if (event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const isPointer = event.button === 2;
    onMenu(isPointer ? { x: event.clientX, y: event.clientY } : undefined);
  });
}
