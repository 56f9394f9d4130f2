import { h } from '../../shared/dom.ts';

export interface PageParts {
  readonly heading: readonly HTMLElement[];
  readonly conversation: HTMLElement;
  /** The message field and what is around it. */
  readonly foot: readonly HTMLElement[];
  readonly announcer: HTMLElement;
}

export const TITLE_ID = 'session-title';

/** The conversation, and the message field below it. */
export function layOutPage({ heading, conversation, foot, announcer }: PageParts): HTMLElement {
  return h(
    'main',
    // Labelled, because the surrounding shell has a main landmark too.
    { class: 'page', 'aria-labelledby': TITLE_ID },
    ...heading,
    conversation,
    h('div', { class: 'foot' }, h('div', { class: 'foot-column' }, ...foot)),
    announcer,
  );
}
