import type { Context } from '../../../shared/entities.ts';
import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';

export interface ContextQuestionOptions {
  /** Sends what is in the field, although the context is so. */
  readonly onSend: (state: UncertainState) => void;
  readonly onKeep: () => void;
}

export type UncertainState = Extract<Context['state'], 'reset' | 'unknown'>;

interface Text {
  readonly title: string;
  readonly has: string;
  readonly lacks: string;
}

const TEXTS: Readonly<Record<UncertainState, Text>> = {
  reset: {
    title: 'The model does not have this conversation',
    has: 'nothing but the message that you send now.',
    lacks: 'everything that is shown above. Repeat in your message what it needs to know.',
  },
  unknown: {
    title: 'The model may not have this conversation',
    has: 'the message that you send now, and perhaps what is shown above.',
    lacks: 'perhaps all of it: that cannot be told. Repeat in your message what it needs to know.',
  },
};

/** Asks before the first message after the model lost the conversation. The message is in the field meanwhile. */
export function createContextQuestion({ onSend, onKeep }: ContextQuestionOptions) {
  const title = h('h2', { id: 'context-question-title' });
  const has = h('dd', {});
  const lacks = h('dd', {});
  const reason = h('p', {});
  const keep = h('button', { type: 'button', on: { click: answerNo } }, 'Keep writing');
  const send = h('button', { type: 'button', class: 'primary', on: { click: answerYes } }, 'Send anyway');
  const facts = h('dl', { id: 'context-question-facts' }, h('dt', {}, 'It has'), has, h('dt', {}, 'It lacks'), lacks);
  const element = h(
    'div',
    {
      class: 'context-question',
      role: 'alertdialog',
      'aria-labelledby': title.id,
      'aria-describedby': facts.id,
      hidden: true,
    },
    h('div', { class: 'context-question-head' }, icon('warning'), title),
    reason,
    facts,
    h('div', { class: 'context-question-buttons' }, keep, send),
  );
  let asked: UncertainState = 'unknown';

  function answerNo(): void {
    element.hidden = true;
    onKeep();
  }

  function answerYes(): void {
    element.hidden = true;
    onSend(asked);
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    // Otherwise it would cancel the turn.
    event.stopPropagation();
    answerNo();
  });

  return {
    element,
    ask(state: UncertainState, context: Context): void {
      asked = state;
      setText(title, TEXTS[state].title);
      setText(has, TEXTS[state].has);
      setText(lacks, TEXTS[state].lacks);
      reason.hidden = context.reason === undefined;
      setText(reason, context.reason ?? '');
      element.hidden = false;
      // The harmless answer, because the user has just pressed Enter.
      keep.focus();
    },
    /** The question is no longer of interest. */
    close(): void {
      element.hidden = true;
    },
  };
}
