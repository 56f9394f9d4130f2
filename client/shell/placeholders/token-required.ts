import { h } from '../../shared/dom.ts';

/** Shown instead of everything else to a browser that the server does not know. */
export function createDoor() {
  return h(
    'div',
    { class: 'door' },
    h('h2', {}, 'Open the address the server printed'),
    h(
      'p',
      {},
      'This page needs the access token of the server. When it starts, the server prints an address that ends in ',
      h('code', {}, '#token=…'),
      '. Open that address in this browser once; it is remembered from then on.',
    ),
    h('p', {}, 'The terminal is closed? Start the server again: it says where the running one is, with the token.'),
  );
}
