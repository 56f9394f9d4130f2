import { h } from '../../shared/dom.ts';
import type { ShellState } from '../state/store.ts';

/** Shown in the tab bar only while there is no connection: what is wrong, and the way to try at once. */
export function createConnectionChip(reconnect: () => void) {
  const words = h('span', { role: 'status' });
  const details = h('span', { class: 'connection-details' }, ', trying again…');
  const button = h('button', { type: 'button', on: { click: reconnect } }, 'Reconnect');
  const element = h('div', { class: 'connection-chip' }, words, button);
  button.hidden = true;
  return {
    element,
    render({ connection, authorized }: ShellState): void {
      const isLost = authorized && connection === 'reconnecting';
      if (isLost !== button.hidden) return;
      words.replaceChildren(...(isLost ? ['Connection lost', details] : []));
      button.hidden = !isLost;
      element.classList.toggle('is-lost', isLost);
    },
  };
}
