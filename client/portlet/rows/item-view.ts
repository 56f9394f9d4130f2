import type { Item } from '../conversation/item.ts';
import { createAgentMessage } from './agent-message.ts';
import { createNotice } from './notice.ts';
import { createThinking } from './thinking.ts';
import { createToolCall, type ToolCallItem } from './tool-call.ts';
import { createUserMessage } from './user-message.ts';
import type { RowContext, View } from './view.ts';

/** The view that fits an item; what kind an item is never changes. */
export function createItemView(item: Item, context: RowContext): View<Item> {
  const { upsert } = item;
  switch (upsert.type) {
    case 'thinking': {
      const view = createThinking(context);
      return follow(view.element, (next) => {
        if (next.upsert.type === 'thinking') view.update({ ...next, upsert: next.upsert });
      });
    }
    case 'tool_call': {
      const view = createToolCall(context);
      return {
        element: view.element,
        update(next) {
          if (isToolCall(next)) view.update(next);
        },
      };
    }
    case 'message': {
      if (upsert.origin === 'user') {
        const view = createUserMessage();
        return follow(view.element, (next) => {
          if (next.upsert.type === 'message') view.update({ text: next.upsert.content, isPending: false });
        });
      }
      const view = upsert.origin === 'system' ? createNotice() : createAgentMessage(context);
      return follow(view.element, (next) => {
        if (next.upsert.type === 'message') view.update(next.upsert);
      });
    }
  }
}

function isToolCall(item: Item): item is ToolCallItem {
  return item.upsert.type === 'tool_call';
}

/** Draws only what is not shown yet. */
function follow(element: HTMLElement, draw: (item: Item) => void): View<Item> {
  let shown: Item | undefined;
  return {
    element,
    update(item) {
      if (item === shown) return;
      shown = item;
      draw(item);
    },
  };
}
