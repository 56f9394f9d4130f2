import { placeChildren } from '../../shared/dom.ts';
import type { View } from '../rows/view.ts';
import type { Row } from './rows.ts';

/** Rows that have elements: always the newest ones, without a gap. What is mounted stays mounted. */
export interface MountedRows {
  /** Takes the rows as they are now and draws those mounted; `changed` names the ones with other contents. */
  draw(rows: readonly Row[], changed: ReadonlySet<string>): void;
  /** Draws rows that kept their places but have other contents. */
  drawChanged(changed: ReadonlySet<string>): void;
  /** Mounts up to `count` rows above. */
  mountOlder(count: number): void;
  olderCount(): number;
}

export function createMountedRows(
  list: HTMLElement,
  createView: (row: Row) => View<Row>,
  firstCount: number,
): MountedRows {
  const views = new Map<string, { readonly view: View<Row>; readonly row: Row }>();
  let rows: readonly Row[] = [];
  let mountedCount = 0;

  function mount(row: Row): HTMLElement {
    const view = views.get(row.key)?.view ?? createView(row);
    views.set(row.key, { view, row });
    view.update(row);
    return view.element;
  }

  /** How many rows from the end keep everything mounted that is still there, and all that is new below it. */
  function countToMount(next: readonly Row[]): number {
    const first = next.findIndex(({ key }) => views.has(key));
    const wanted = first === -1 ? firstCount : Math.max(next.length - first, firstCount);
    return Math.min(next.length, wanted);
  }

  return {
    olderCount: () => rows.length - mountedCount,
    draw(next, changed) {
      mountedCount = countToMount(next);
      rows = next;
      const shown = rows.slice(rows.length - mountedCount);
      const elements = shown.map((row) => {
        const known = views.get(row.key);
        return known === undefined || row.kind === 'end' || changed.has(row.key) ? mount(row) : known.view.element;
      });
      placeChildren(list, elements);
      const keys = new Set(shown.map(({ key }) => key));
      for (const key of views.keys()) if (!keys.has(key)) views.delete(key);
    },
    drawChanged(changed) {
      for (const key of changed) {
        const known = views.get(key);
        known?.view.update(known.row);
      }
    },
    mountOlder(count) {
      const end = rows.length - mountedCount;
      const older = rows.slice(Math.max(0, end - count), end);
      mountedCount += older.length;
      list.prepend(...older.map(mount));
    },
  };
}
