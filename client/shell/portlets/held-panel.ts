import { h } from '../../shared/dom.ts';

/** Stands in for a session page that did not finish loading last time, until the user opens it. */
export function createHeldPanel(attributes: Readonly<Record<string, string>>, onOpen: () => void): HTMLElement {
  return h(
    'div',
    { ...attributes, class: 'panel held' },
    h('h2', {}, 'This session did not finish loading last time'),
    h('p', {}, 'Something in it may be too much for this browser. Your other sessions are not affected.'),
    h('button', { type: 'button', class: 'primary', on: { click: onOpen } }, 'Open it'),
  );
}
