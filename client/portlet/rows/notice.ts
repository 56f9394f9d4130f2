import type { MessageUpsert } from '../../../shared/stream-contracts.ts';
import { h, setText } from '../../shared/dom.ts';
import { readable } from '../../shared/markdown/visible-characters.ts';
import type { View } from './view.ts';

/** Something that happened around the conversation: a retry, a compaction, a resumption. */
export function createNotice(): View<MessageUpsert> {
  const element = h('p', { class: 'row notice' });
  return { element, update: ({ content }) => setText(element, readable(content)) };
}
