import { h, placeChildren, setText } from '../../../shared/dom.ts';
import type { Item } from '../../model/item.ts';
import { createDisclosure } from './disclosure.ts';
import type { RowContext, View } from '../../base/view.ts';

export interface StepsValue {
  readonly items: readonly Item[];
  readonly isDone: boolean;
}

/** What a sub-agent did under a call: indented, open while it works, folded when it is done. */
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
      disclosure.suggest(!isDone);
      if (disclosure.isOpen()) drawList();
    },
  };
}
