import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import type { View } from '../../base/view.ts';
import type { Item, ItemOf } from '../../model/item.ts';
import { drawClipped } from '../text/clipped-text.ts';
import { createAgentMessage } from './agent-message.ts';
import type { RowContext } from './row-context.ts';
import { createThinking } from './thinking.ts';
import { createToolCall } from './tool-call.ts';
import { createUserMessage } from './user-message.ts';

/** Creates the view for an item. The type of an item never changes. */
export function createItemView({ upsert }: Item, context: RowContext): View<Item> {
  switch (upsert.type) {
    case 'thinking':
      return only('thinking', skipUnchanged(createThinking(context)));
    case 'tool_call':
      return only('tool_call', createToolCall(context));
    case 'message':
      return only('message', createMessage(upsert.origin, context));
  }
}

function createMessage(origin: 'user' | 'agent' | 'system', context: RowContext): View<ItemOf<'message'>> {
  if (origin === 'agent') return skipUnchanged(createAgentMessage(context));
  if (origin === 'system') return skipUnchanged(createNotice());
  const view = createUserMessage();
  return {
    element: view.element,
    update({ upsert: { content, turnId } }) {
      view.update({ text: content, isPending: false, sent: context.sentStateOf(turnId) });
    },
  };
}

/** An event around the conversation, such as a retry, a compaction or a resumption. */
function createNotice(): View<ItemOf<'message'>> {
  const element = h('p', { class: 'row notice' });
  return { element, update: ({ upsert }) => element.replaceChildren(...drawClipped(upsert.content)) };
}

function only<T extends UpsertObject['type']>(type: T, view: View<ItemOf<T>>): View<Item> {
  const fits = (item: Item): item is ItemOf<T> => item.upsert.type === type;
  return {
    element: view.element,
    update(item) {
      if (fits(item)) view.update(item);
    },
  };
}

/** Not for views that also show other items: those may have changed even if this one did not. */
function skipUnchanged<T extends Item>(view: View<T>): View<T> {
  let shown: T | undefined;
  return {
    element: view.element,
    update(item) {
      if (item === shown) return;
      shown = item;
      view.update(item);
    },
  };
}
