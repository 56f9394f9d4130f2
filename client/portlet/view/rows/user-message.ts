import { h, setText } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import type { View } from '../../base/view.ts';

const LONG_LINES = 14;
const LONG_TEXT = 1_600;

export interface UserText {
  readonly text: string;
  /** On its way: not yet confirmed by the server. */
  readonly isPending: boolean;
}

/** What the user said, exactly as typed; a long text is cut off until it is asked for. */
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
      const shown = readable(value.text);
      element.classList.toggle('is-pending', value.isPending);
      if (text.textContent === shown) return;
      setText(text, shown);
      const isLong = shown.length > LONG_TEXT || shown.split('\n', LONG_LINES + 1).length > LONG_LINES;
      element.replaceChildren(text);
      if (isLong) cut();
    },
  };
}
