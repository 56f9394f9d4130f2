import { h } from '../../../shared/dom.ts';
import { createMarkdownView } from '../../../shared/markdown/markdown-view.ts';
import type { View } from '../../base/view.ts';
import type { ItemOf } from '../../model/item.ts';
import { backgroundOf } from '../text/drawing.ts';
import { createItemError } from './item-error.ts';
import type { RowContext } from './row-context.ts';

/** The element with the agent's name. Messages refer to it because the name may arrive after them. */
export const AGENT_NAME_ID = 'agent-name';

/** A message of the agent as growing Markdown. Screen readers hear the end of the turn, not every word. */
export function createAgentMessage({ onSettled, drawing }: RowContext): View<ItemOf<'message'>> {
  const markdown = createMarkdownView(onSettled, backgroundOf(drawing));
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
