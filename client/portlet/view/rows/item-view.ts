import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { Item, ItemOf } from '../../model/item.ts';
import { createAgentMessage } from './agent-message.ts';
import { createNotice } from './notice.ts';
import { createThinking } from './thinking.ts';
import { createToolCall } from './tool-call.ts';
import { createUserMessage } from './user-message.ts';
import type { RowContext, View } from '../../base/view.ts';

/** The view that fits an item; what kind an item is never changes. */
export function createItemView({ upsert }: Item, context: RowContext): View<Item> {
  switch (upsert.type) {
    case 'thinking':
      return only('thinking', unlessShown(createThinking(context)));
    case 'tool_call':
      return only('tool_call', createToolCall(context));
    case 'message':
      return only('message', unlessShown(createMessage(upsert.origin, context)));
  }
}

function createMessage(origin: 'user' | 'agent' | 'system', context: RowContext): View<ItemOf<'message'>> {
  if (origin === 'agent') return createAgentMessage(context);
  if (origin === 'system') return createNotice();
  const view = createUserMessage();
  return { element: view.element, update: (item) => view.update({ text: item.upsert.content, isPending: false }) };
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

/** Not for what also shows other items, which may have changed while it did not. */
function unlessShown<T extends Item>(view: View<T>): View<T> {
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
