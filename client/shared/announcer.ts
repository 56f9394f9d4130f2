import { h, setText } from './dom.ts';

/** Says to a screen reader what the eye sees by itself. */
export interface Announcer {
  readonly element: HTMLElement;
  say(text: string): void;
}

export function createAnnouncer(): Announcer {
  const element = h('div', { class: 'visually-hidden', role: 'status' });
  return { element, say: (text) => setText(element, text) };
}
