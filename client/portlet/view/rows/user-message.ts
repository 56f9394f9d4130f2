import { h, setText } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import type { View } from '../../base/view.ts';

const MAX_LINES = 14;
const MAX_LENGTH = 1_600;

export interface UserText {
  readonly text: string;
  /** Not yet confirmed by the server. */
  readonly isPending: boolean;
}

/** A message of the user, exactly as typed. A long one is cut off until "Show all" is clicked. */
export function createUserMessage(): View<UserText> {
  const text = h('div', { class: 'user-text' });
  const element = h('article', { class: 'row user', 'aria-label': 'You' }, text);

  function cut(): void {
    const more = h('button', { type: 'button', class: 'quiet more' }, 'Show all');
    more.addEventListener('click', () => {
      element.classList.remove('is-cut');
      more.remove();
    });
    element.classList.add('is-cut');
    element.append(more);
  }

  return {
    element,
    update(value) {
      const shown = escapeInvisible(value.text);
      element.classList.toggle('is-pending', value.isPending);
      if (text.textContent === shown) return;
      setText(text, shown);
      const isLong = shown.length > MAX_LENGTH || shown.split('\n', MAX_LINES + 1).length > MAX_LINES;
      element.replaceChildren(text);
      if (isLong) cut();
    },
  };
}
