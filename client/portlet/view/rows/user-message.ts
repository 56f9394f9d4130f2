import { h } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import type { View } from '../../base/view.ts';
import type { SentState } from '../../model/sent-state.ts';
import { drawText } from '../text/clipped-text.ts';
import { createSentMark } from './sent-mark.ts';

const MAX_LINES = 14;
const MAX_LENGTH = 1_600;
/** What is drawn of a message that is cut off. */
const CUT_LENGTH = 3_000;

export interface UserText {
  readonly text: string;
  /** Not yet confirmed by the server. */
  readonly isPending: boolean;
  /** Undefined if it is not known how far the message has come. */
  readonly sent: SentState | undefined;
}

/** A message of the user, exactly as typed. A long one is cut off until "Show all" is clicked. */
export function createUserMessage(): View<UserText> {
  const text = h('div', { class: 'user-text' });
  const mark = createSentMark();
  const element = h('article', { class: 'row user', 'aria-label': 'You' }, text, mark.element);

  let shown: string | undefined;

  function cut(whole: string): void {
    const more = h('button', { type: 'button', class: 'quiet more' }, 'Show all');
    more.addEventListener('click', () => {
      element.classList.remove('is-cut');
      text.replaceChildren(...drawText(whole));
      more.remove();
    });
    element.classList.add('is-cut');
    mark.element.before(more);
  }

  return {
    element,
    update(value) {
      element.classList.toggle('is-pending', value.isPending);
      mark.update(value.sent);
      if (value.text === shown) return;
      shown = value.text;
      const whole = escapeInvisible(value.text);
      const isLong = whole.length > MAX_LENGTH || whole.split('\n', MAX_LINES + 1).length > MAX_LINES;
      text.replaceChildren(...drawText(isLong ? whole.slice(0, CUT_LENGTH) : whole));
      element.classList.remove('is-cut');
      element.replaceChildren(text, mark.element);
      if (isLong) cut(whole);
    },
  };
}
