import { h } from '../../shared/dom.ts';
import type { Access } from '../state/store.ts';

type Child = Node | string;

/** Replaces the whole page while it has no access to the server: what happened, and what to do. */
export function createNoAccess(tryAgain: () => void) {
  const element = h('div', { class: 'no-access' });
  let drawn: Access = 'granted';

  function content(access: Exclude<Access, 'granted'>): Child[] {
    switch (access) {
      case 'no-key':
        return [
          h('h2', {}, 'Open the address the server printed'),
          h(
            'p',
            {},
            'When it starts, the server prints an address that ends in ',
            h('code', {}, '#token=…'),
            '. Open that address once in this browser; from then on the browser has access.',
          ),
          again(),
        ];
      case 'bad-address':
        return [
          h('h2', {}, 'This address is not valid'),
          h(
            'p',
            {},
            'It may be from an earlier start of the server: each start prints a new one. If the server is not running, ',
            'another program may be answering here. It was given nothing that gives access.',
          ),
          again(),
        ];
      case 'used-address':
        return [
          h('h2', {}, 'This address has been used or has expired'),
          h('p', {}, 'The address that opens the browser works once and for a minute.'),
          again(),
          h(
            'p',
            {},
            'If you have just started the server and did not open the address elsewhere, someone else may have. Run ',
            h('code', {}, 'liminal-builder token --renew'),
            ' to lock them out.',
          ),
        ];
      case 'renewed':
        return [
          h('h2', {}, 'The token was renewed'),
          h('p', {}, 'This browser has no access any more. Open the address that was printed with the new token.'),
          again(),
          tryAgainButton(),
        ];
      case 'stranger':
        return [
          h('h2', {}, 'Another program answers at this address'),
          h(
            'p',
            {},
            'It could not prove that it is your Liminal Builder, so this page has stopped and given it nothing that gives ',
            'access. Your sessions are safe in the data directory.',
          ),
          h(
            'ul',
            {},
            h(
              'li',
              {},
              'If your server is not running, stop the program that has its port and start the server again.',
            ),
            h(
              'li',
              {},
              'If it is running, its token was renewed or its data directory is another one. Run ',
              h('code', {}, 'liminal-builder'),
              ' again and open the address that it prints.',
            ),
          ),
          tryAgainButton(),
        ];
    }
  }

  const tryAgainButton = () => h('button', { type: 'button', class: 'primary', on: { click: tryAgain } }, 'Try again');

  return {
    element,
    render(access: Access): void {
      element.hidden = access === 'granted';
      if (access === drawn) return;
      drawn = access;
      // An alert is announced when it appears, which the first page that a user sees should not be.
      if (access === 'no-key') element.removeAttribute('role');
      else element.setAttribute('role', 'alert');
      element.replaceChildren(...(access === 'granted' ? [] : content(access)));
    },
  };
}

const again = () =>
  h(
    'p',
    {},
    'For a new address, run ',
    h('code', {}, 'liminal-builder'),
    ' again: it prints the address of the running server.',
  );
