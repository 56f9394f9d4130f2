import { h } from '../../shared/dom.ts';

/** Replaces the whole page while the browser has no valid token. */
export function createTokenRequired() {
  return h(
    'div',
    { class: 'token-required' },
    h('h2', {}, 'Open the address the server printed'),
    h(
      'p',
      {},
      'This page needs the server’s access token. When it starts, the server prints an address that ends in ',
      h('code', {}, '#token=…'),
      '. Open that address once in this browser; the token is then remembered.',
    ),
    h(
      'p',
      {},
      'Closed the terminal? Start the server again: it prints the address of the running one, with the token.',
    ),
  );
}
