import type { View } from '../../base/view.ts';
import type { Row } from '../../model/rows.ts';
import { createItemView } from './item-view.ts';
import { drawNotInContext } from './not-in-context.ts';
import type { RowContext } from './row-context.ts';
import { createTurnEnd } from './turn-end.ts';
import { createUserMessage } from './user-message.ts';

/** Creates the view for a row. The kind of a row never changes. */
export function createRowView(row: Row, context: RowContext): View<Row> {
  switch (row.kind) {
    case 'item':
      return createItemRow(row.key, context);
    case 'end': {
      const view = createTurnEnd(context);
      return adapt(view.element, (next) => next.kind === 'end' && view.update(next));
    }
    case 'pending': {
      const view = createUserMessage();
      return adapt(
        view.element,
        (next) =>
          next.kind === 'pending' &&
          view.update({ text: next.content, isPending: true, sent: context.sentStateOf(next.turnId) }),
      );
    }
    case 'not-in-context':
      return adapt(drawNotInContext(), () => undefined);
  }
}

function createItemRow(itemId: string, context: RowContext): View<Row> {
  const item = context.itemOf(itemId);
  if (item === undefined) throw new Error(`There is no item ${itemId} to show.`);
  const view = createItemView(item, context);
  return adapt(view.element, () => {
    const current = context.itemOf(itemId);
    if (current === undefined) return;
    view.element.classList.toggle('is-outside', current.upsert.inContext === false);
    view.update(current);
  });
}

function adapt(element: HTMLElement, update: (row: Row) => unknown): View<Row> {
  return { element, update: (row) => void update(row) };
}
