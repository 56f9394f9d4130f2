import { h } from '../../../shared/dom.ts';

const FIRST_ITEMS = 100;
const MORE_ITEMS = 300;

/** Appends an element for each item to `parent`; of many items the first ones and a button in `wrap` for more. */
export function appendItems<T>(
  parent: HTMLElement,
  items: readonly T[],
  draw: (item: T) => readonly Node[],
  wrap: (button: HTMLElement) => HTMLElement,
  count = FIRST_ITEMS,
): void {
  parent.append(...items.slice(0, count).flatMap(draw));
  const rest = items.slice(count);
  if (rest.length === 0) return;
  const button = h('button', { type: 'button', class: 'quiet more' }, `Show ${rest.length} more`);
  const place = wrap(button);
  button.addEventListener('click', () => {
    place.remove();
    appendItems(parent, rest, draw, wrap, MORE_ITEMS);
  });
  parent.append(place);
}
