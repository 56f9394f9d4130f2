import { h, setText } from '../../../shared/dom.ts';
import { createMarkdownView } from '../../../shared/markdown/markdown-view.ts';
import { formatWholeSeconds } from '../../base/duration.ts';
import type { View } from '../../base/view.ts';
import type { Item, ItemOf } from '../../model/item.ts';
import { backgroundOf } from '../text/drawing.ts';
import { createDisclosure } from './disclosure.ts';
import { createItemError } from './item-error.ts';
import type { RowContext } from './row-context.ts';

/** The agent's thinking: a muted line, open while it streams, closed afterwards. */
export function createThinking({ onSettled, drawing }: RowContext): View<ItemOf<'thinking'>> {
  const markdown = createMarkdownView(onSettled, backgroundOf(drawing));
  const error = createItemError();
  const label = h('span', { class: 'thinking-label' });
  const disclosure = createDisclosure('thinking', drawBody);
  disclosure.summary.append(label);
  disclosure.element.append(markdown.element);
  const element = h('div', { class: 'row thought', 'aria-live': 'off' }, disclosure.element, error.element);
  let shown: ItemOf<'thinking'> | undefined;

  function drawBody(): void {
    if (shown !== undefined) markdown.update(shown.upsert.content, !shown.isOpen);
  }

  return {
    element,
    update(item) {
      shown = item;
      setText(label, labelOf(item));
      element.hidden = item.upsert.content.trim() === '' && !item.isOpen;
      element.classList.toggle('is-streaming', item.isOpen);
      disclosure.suggest(item.isOpen);
      if (disclosure.isOpen()) drawBody();
      error.update(item.upsert);
    },
  };
}

function labelOf({ isOpen, startedAt, endedAt }: Item): string {
  if (isOpen) return 'Thinking';
  if (startedAt === undefined || endedAt === undefined || endedAt - startedAt < 1000) return 'Thought';
  return `Thought for ${formatWholeSeconds(endedAt - startedAt)}`;
}
