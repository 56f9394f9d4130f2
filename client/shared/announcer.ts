import { h, setText } from './dom.ts';

/** Tells screen readers about a change that others can see. */
export interface Announcer {
  readonly element: HTMLElement;
  say(text: string): void;
}

export function createAnnouncer(): Announcer {
  const element = h('div', { class: 'visually-hidden', role: 'status' });
  return { element, say: (text) => setText(element, text) };
}
