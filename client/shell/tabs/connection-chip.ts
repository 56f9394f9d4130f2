import { h } from '../../shared/dom.ts';
import type { ShellState } from '../state/store.ts';

/** Shown in the tab bar while the connection is lost, with a button to reconnect at once. */
export function createConnectionChip(reconnect: () => void) {
  const text = h('span', { role: 'status' });
  const details = h('span', { class: 'connection-details' }, ', reconnecting…');
  const button = h('button', { type: 'button', on: { click: reconnect } }, 'Reconnect');
  const element = h('div', { class: 'connection-chip' }, text, button);
  button.hidden = true;
  return {
    element,
    render({ connection, access }: ShellState): void {
      const isLost = access === 'granted' && connection === 'reconnecting';
      if (isLost !== button.hidden) return;
      text.replaceChildren(...(isLost ? ['Connection lost', details] : []));
      button.hidden = !isLost;
      element.classList.toggle('is-lost', isLost);
    },
  };
}
