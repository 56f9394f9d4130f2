import { h } from '../../shared/dom.ts';

/** Replaces the whole page after a service worker of another program was found at our address. */
export function createForeignWorkerNotice(reload: () => void): HTMLElement {
  return h(
    'main',
    { class: 'no-access', role: 'alert' },
    h('h1', {}, 'Another program left a service worker at this address'),
    h(
      'p',
      {},
      'It could have read and changed this page, so the page was not started. The service worker and its caches have ',
      'been removed. Reload the page to go on.',
    ),
    h(
      'p',
      {},
      'If this comes back, open the address that the server prints. It has a name that no other program uses.',
    ),
    h('button', { type: 'button', class: 'primary', on: { click: reload } }, 'Reload'),
  );
}
