import { h, setText } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import type { View } from '../../base/view.ts';
import type { ItemOf } from '../../model/item.ts';

/** Something that happened around the conversation: a retry, a compaction, a resumption. */
export function createNotice(): View<ItemOf<'message'>> {
  const element = h('p', { class: 'row notice' });
  return { element, update: ({ upsert }) => setText(element, escapeInvisible(upsert.content)) };
}
