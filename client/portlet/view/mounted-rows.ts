import { h, placeChildren } from '../../shared/dom.ts';
import type { View } from '../base/view.ts';
import { isTooSmall, needsNewChunk } from './chunk-size.ts';
import type { Row } from '../model/rows.ts';

/**
 * Rows that have elements: always the newest ones, without a gap. What is mounted stays mounted. They stand in chunks
 * of a few turns, so that what is off the screen costs the browser one box for many rows.
 */
export interface MountedRows {
  /** Takes the rows as they are now and draws those mounted; `changed` names the ones with other contents. */
  draw(rows: readonly Row[], changed: ReadonlySet<string>): void;
  /** Draws rows that kept their places but have other contents. */
  drawChanged(changed: ReadonlySet<string>): void;
  /** Works on the next older chunk, row by row, for as long as it may. It appears when it is whole. */
  mountOlder(mayGoOn: () => boolean): void;
  olderCount(): number;
}

export interface MountedRowsOptions {
  readonly list: HTMLElement;
  readonly createView: (row: Row) => View<Row>;
  /** How many rows are mounted at first. */
  readonly firstCount: number;
  /** Runs a change that adds rows above what is in view. */
  readonly insertAbove: (change: () => void) => void;
}

interface Mounted {
  readonly view: View<Row>;
  readonly row: Row;
  readonly chunk: HTMLElement;
}

/** Where the elements of each chunk go, in order. */
type Layout = Map<HTMLElement, HTMLElement[]>;

const newChunk = (): HTMLElement => h('div', { class: 'chunk' });

export function createMountedRows({ list, createView, firstCount, insertAbove }: MountedRowsOptions): MountedRows {
  const mounted = new Map<string, Mounted>();
  let rows: readonly Row[] = [];
  let mountedCount = 0;
  /** The next older chunk as far as it is made, oldest row first. */
  let coming: Mounted[] = [];

  function mount(row: Row, chunk: HTMLElement): Mounted {
    const view = mounted.get(row.key)?.view ?? createView(row);
    view.update(row);
    return { view, row, chunk };
  }

  /** How many rows from the end keep everything mounted that is still there, and all that is new below it. */
  function countToMount(next: readonly Row[]): number {
    const first = next.findIndex(({ key }) => mounted.has(key));
    const wanted = first === -1 ? firstCount : Math.max(next.length - first, firstCount);
    return Math.min(next.length, wanted);
  }

  /** Its own chunk as long as that keeps the order, else the one that is being filled. */
  function chunkFor(row: Row, layout: Layout, current: HTMLElement | undefined): HTMLElement {
    const own = mounted.get(row.key)?.chunk;
    if (own !== undefined && (own === current || !layout.has(own))) return own;
    if (current === undefined || needsNewChunk(layout.get(current)?.length ?? 0, row)) return newChunk();
    return current;
  }

  function place(shown: readonly Row[], changed: ReadonlySet<string>): void {
    const layout: Layout = new Map();
    let current: HTMLElement | undefined;
    for (const row of shown) {
      current = chunkFor(row, layout, current);
      const known = mounted.get(row.key);
      const isCurrent = known !== undefined && row.kind !== 'end' && !changed.has(row.key);
      const entry = isCurrent ? { ...known, chunk: current } : mount(row, current);
      mounted.set(row.key, entry);
      layout.set(current, [...(layout.get(current) ?? []), entry.view.element]);
    }
    for (const [chunk, elements] of layout) placeChildren(chunk, elements);
    placeChildren(list, [...layout.keys()]);
  }

  const nextOlder = (): Row | undefined => rows[rows.length - mountedCount - coming.length - 1];

  function insertComing(): void {
    const chunk = coming[0]?.chunk;
    if (chunk === undefined) return;
    for (const entry of coming) {
      entry.view.update(entry.row);
      mounted.set(entry.row.key, entry);
    }
    chunk.append(...coming.map(({ view }) => view.element));
    mountedCount += coming.length;
    coming = [];
    insertAbove(() => list.prepend(chunk));
  }

  return {
    olderCount: () => rows.length - mountedCount,
    draw(next, changed) {
      mountedCount = countToMount(next);
      rows = next;
      // What was being made must still be what comes next above.
      if (rows[rows.length - mountedCount - 1]?.key !== coming.at(-1)?.row.key) coming = [];
      const shown = rows.slice(rows.length - mountedCount);
      const keys = new Set(shown.map(({ key }) => key));
      for (const key of mounted.keys()) if (!keys.has(key)) mounted.delete(key);
      place(shown, changed);
    },
    drawChanged(changed) {
      for (const key of changed) {
        const known = mounted.get(key);
        known?.view.update(known.row);
      }
    },
    mountOlder(mayGoOn) {
      while (mayGoOn()) {
        const row = nextOlder();
        if (row === undefined || !isTooSmall(coming.length, coming[0]?.row)) {
          insertComing();
          return;
        }
        coming.unshift(mount(row, coming[0]?.chunk ?? newChunk()));
      }
    },
  };
}
