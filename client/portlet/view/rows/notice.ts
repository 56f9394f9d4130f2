import { h, setText } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import type { ItemOf } from '../../model/item.ts';
import type { View } from '../../base/view.ts';

/** Something that happened around the conversation: a retry, a compaction, a resumption. */
export function createNotice(): View<ItemOf<'message'>> {
  const element = h('p', { class: 'row notice' });
  return { element, update: ({ upsert }) => setText(element, readable(upsert.content)) };
}
