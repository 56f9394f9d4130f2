import type { ThinkingUpsert } from '../../../shared/stream-contracts.ts';
import { h, setText } from '../../shared/dom.ts';
import { createMarkdownView } from '../../shared/markdown/markdown-view.ts';
import { type Item, isOpen } from '../conversation/item.ts';
import { formatWholeSeconds } from '../duration.ts';
import { createDisclosure } from './disclosure.ts';
import { createItemError } from './item-error.ts';
import type { RowContext, View } from './view.ts';

/** The agent's thoughts: a muted line, open while they come, closed afterwards. */
export function createThinking({ onSettled }: RowContext): View<Item & { readonly upsert: ThinkingUpsert }> {
  const markdown = createMarkdownView(onSettled);
  const error = createItemError();
  const label = h('span', { class: 'thinking-label' });
  const disclosure = createDisclosure('thinking', drawBody);
  disclosure.summary.append(label);
  disclosure.element.append(markdown.element);
  const element = h('div', { class: 'row thought', 'aria-live': 'off' }, disclosure.element, error.element);
  let upsert: ThinkingUpsert | undefined;

  function drawBody(): void {
    if (upsert !== undefined) markdown.update(upsert.content, !isOpen(upsert));
  }

  return {
    element,
    update(item) {
      const isStreaming = isOpen(item.upsert);
      upsert = item.upsert;
      setText(label, labelOf(item));
      element.hidden = item.upsert.content.trim() === '' && !isStreaming;
      element.classList.toggle('is-streaming', isStreaming);
      disclosure.suggest(isStreaming);
      if (disclosure.isOpen()) drawBody();
      error.update(item.upsert);
    },
  };
}

function labelOf({ upsert, startedAt, endedAt }: Item): string {
  if (isOpen(upsert)) return 'Thinking';
  if (startedAt === undefined || endedAt === undefined || endedAt - startedAt < 1000) return 'Thought';
  return `Thought for ${formatWholeSeconds(endedAt - startedAt)}`;
}
