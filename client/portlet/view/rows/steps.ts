import { h, placeChildren, setText } from '../../../shared/dom.ts';
import type { View } from '../../base/view.ts';
import type { Item } from '../../model/item.ts';
import { createDisclosure } from './disclosure.ts';
import type { RowContext } from './row-context.ts';

export interface StepsValue {
  readonly items: readonly Item[];
  readonly isDone: boolean;
}

/** The steps of a sub-agent below its tool call: indented, open while it works, closed when it is done. */
export function createSteps(context: RowContext): View<StepsValue> {
  const views = new Map<string, View<Item>>();
  const label = h('span');
  const list = h('div', { class: 'steps-list' });
  const disclosure = createDisclosure('steps', drawList);
  disclosure.summary.append(label);
  disclosure.element.append(list);
  disclosure.element.hidden = true;
  let items: readonly Item[] = [];

  function drawList(): void {
    const elements = items.map((item) => {
      const view = views.get(item.upsert.itemId) ?? context.viewOf(item);
      views.set(item.upsert.itemId, view);
      view.update(item);
      return view.element;
    });
    placeChildren(list, elements);
  }

  return {
    element: disclosure.element,
    update({ items: next, isDone }) {
      items = next;
      disclosure.element.hidden = items.length === 0;
      if (items.length === 0) return;
      setText(label, items.length === 1 ? '1 step' : `${items.length} steps`);
      // Also when it closes now: a step that has ended must not go on counting where nobody sees it.
      if (disclosure.isOpen()) drawList();
      disclosure.suggest(!isDone);
    },
  };
}
