import { h, setAttribute } from '../../../shared/dom.ts';
import { type IconName, icon } from '../../../shared/icons.ts';
import type { View } from '../../base/view.ts';
import type { SentState } from '../../model/sent-state.ts';

interface Mark {
  readonly icon: IconName;
  /** The accessible name and the tooltip. */
  readonly name: string;
  /** Shown in words, because the user should know. */
  readonly text?: string;
}

const MARKS: Readonly<Record<SentState, Mark>> = {
  sending: { icon: 'clock', name: 'Being sent' },
  kept: { icon: 'check', name: 'Kept on disk, not yet with the agent' },
  taken: { icon: 'checks', name: 'Kept on disk and taken by the agent' },
  requested: { icon: 'checks', name: 'Kept on disk, taken by the agent, in the request to the model' },
  waiting: {
    icon: 'warning',
    name: 'Not sent yet: the server does not answer. It is sent as soon as the connection is back, and never twice.',
    text: 'Not sent yet: waits for the server',
  },
  uncertain: {
    icon: 'warning',
    name: 'Not certain: the server or the agent ended before it was known whether the agent got this message.',
    text: 'Not certain whether the agent got this',
  },
  'not-taken': {
    icon: 'warning',
    name: 'Kept on disk, but the turn failed before the agent got this message.',
    text: 'The agent did not get this',
  },
};

/**
 * How far a message has come. A sign in the corner while all is well, hidden once the model has the message and shown
 * again under the pointer; a line of words below the message when it is not. It never changes the size of the message.
 */
export function createSentMark(): View<SentState | undefined> {
  const element = h('div', { class: 'sent', hidden: true });
  let shown: SentState | undefined;
  return {
    element,
    update(state) {
      if (state === shown) return;
      shown = state;
      element.hidden = state === undefined;
      if (state === undefined) return;
      const { icon: sign, name, text } = MARKS[state];
      element.dataset.state = state;
      element.classList.toggle('is-loud', text !== undefined);
      setAttribute(element, 'title', name);
      // Words are read as they are; a sign alone is an image with a name.
      setAttribute(element, 'role', text === undefined ? 'img' : null);
      setAttribute(element, 'aria-label', text === undefined ? name : null);
      element.replaceChildren(icon(sign), ...(text === undefined ? [] : [h('span', {}, text)]));
    },
  };
}
