import { h } from '../../../shared/dom.ts';
import { createMarkdownView } from '../../../shared/markdown/markdown-view.ts';
import type { ItemOf } from '../../model/item.ts';
import { createItemError } from './item-error.ts';
import type { RowContext, View } from '../../base/view.ts';

/** The element that holds the agent's name, which may become known only after its messages. */
export const AGENT_NAME_ID = 'agent-name';

/** What the agent said, as Markdown that grows. Not announced word by word: the end of the turn is. */
export function createAgentMessage({ onSettled }: RowContext): View<ItemOf<'message'>> {
  const markdown = createMarkdownView(onSettled);
  const error = createItemError();
  const element = h(
    'article',
    { class: 'row agent', 'aria-labelledby': AGENT_NAME_ID, 'aria-live': 'off' },
    markdown.element,
    error.element,
  );
  return {
    element,
    update({ upsert, isOpen }) {
      element.classList.toggle('is-streaming', isOpen);
      element.classList.toggle('is-abandoned', upsert.errorCode === 'STREAM_RETRIED');
      markdown.update(upsert.content, !isOpen);
      error.update(upsert);
    },
  };
}
