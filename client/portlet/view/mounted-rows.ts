import { isUserItemId } from '../../../shared/stream-contracts.ts';
import { h, placeChildren } from '../../shared/dom.ts';
import type { View } from '../base/view.ts';
import type { Row } from '../model/rows.ts';

/**
 * The rows that have elements: always the newest ones, without gaps. A mounted row stays mounted. Rows are grouped into
 * chunks of a few turns, so that many rows off the screen cost the browser a single box.
 */
export interface MountedRows {
  /** Sets the current rows and draws the mounted ones. `changed` are the keys of rows with new contents. */
  draw(rows: readonly Row[], changed: ReadonlySet<string>): void;
  /** Draws rows whose contents changed while the list of rows did not. */
  drawChanged(changed: ReadonlySet<string>): void;
  /** Builds the next older chunk row by row while `mayContinue` allows it. The chunk appears when it is complete. */
  mountOlder(mayContinue: () => boolean): void;
  olderCount(): number;
}

export interface MountedRowsOptions {
  readonly list: HTMLElement;
  readonly createView: (row: Row) => View<Row>;
  /** Number of rows to mount initially, if there is time. */
  readonly firstCount: number;
  /** Returns a function that tells whether there is still time in this frame. */
  readonly startFrame: () => () => boolean;
  /** Runs a change that adds rows above what is in view. */
  readonly insertAbove: (change: () => void) => void;
}

interface Mounted {
  readonly view: View<Row>;
  readonly row: Row;
  readonly chunk: HTMLElement;
}

/** The elements of each chunk, in order. */
type Layout = Map<HTMLElement, HTMLElement[]>;

/** A chunk has at least MIN rows and then ends before the next user message, but never has more than MAX rows. */
const MIN_CHUNK_ROWS = 16;
const MAX_CHUNK_ROWS = 60;
/** A chunk is laid out in one go when it comes into view, so it must not have too many elements. */
const MAX_CHUNK_ELEMENTS = 1_500;

const startsTurn = (row: Row): boolean => row.kind === 'pending' || (row.kind === 'item' && isUserItemId(row.key));

/** Whether `row` starts a new chunk after one with `count` rows. */
function needsNewChunk(count: number, row: Row): boolean {
  return count >= MAX_CHUNK_ROWS || (count >= MIN_CHUNK_ROWS && startsTurn(row));
}

/** Whether a chunk that grows upwards, currently starting with `first`, needs more rows. */
function needsMoreRows(count: number, first: Row | undefined): boolean {
  return count < MIN_CHUNK_ROWS || (count < MAX_CHUNK_ROWS && first !== undefined && !startsTurn(first));
}

const newChunk = (): HTMLElement => h('div', { class: 'chunk' });

export function createMountedRows(options: MountedRowsOptions): MountedRows {
  const { list, createView, firstCount, startFrame, insertAbove } = options;
  const mounted = new Map<string, Mounted>();
  let rows: readonly Row[] = [];
  let mountedCount = 0;
  /** The rows built so far for the next older chunk, oldest first. */
  let upcoming: Mounted[] = [];

  let upcomingElements = 0;

  function mount(row: Row, chunk: HTMLElement): Mounted {
    const view = mounted.get(row.key)?.view ?? createView(row);
    view.update(row);
    return { view, row, chunk };
  }

  /**
   * How many of the last rows to mount: every row that is mounted already and everything below it, and at first as many
   * as fill a screen, or fewer if they take long. Those are mounted here, newest first.
   */
  function countToMount(next: readonly Row[]): number {
    const first = next.findIndex(({ key }) => mounted.has(key));
    let count = first === -1 ? 0 : next.length - first;
    const chunk = newChunk();
    const hasTime = startFrame();
    while (count < firstCount && (count === 0 || hasTime())) {
      const row = next[next.length - count - 1];
      if (row === undefined) break;
      mounted.set(row.key, mount(row, chunk));
      count += 1;
    }
    return count;
  }

  /** The chunk the row is already in, if that keeps the order; otherwise the one being filled. */
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

  const nextOlder = (): Row | undefined => rows[rows.length - mountedCount - upcoming.length - 1];

  function insertUpcoming(): void {
    const chunk = upcoming[0]?.chunk;
    if (chunk === undefined) return;
    for (const entry of upcoming) {
      entry.view.update(entry.row);
      mounted.set(entry.row.key, entry);
    }
    chunk.append(...upcoming.map(({ view }) => view.element));
    mountedCount += upcoming.length;
    upcoming = [];
    insertAbove(() => list.prepend(chunk));
  }

  return {
    olderCount: () => rows.length - mountedCount,
    draw(next, changed) {
      mountedCount = countToMount(next);
      rows = next;
      // Discard the upcoming chunk if it no longer directly precedes the mounted rows.
      if (rows[rows.length - mountedCount - 1]?.key !== upcoming.at(-1)?.row.key) upcoming = [];
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
    mountOlder(mayContinue) {
      while (mayContinue()) {
        const row = nextOlder();
        const isFull = upcoming.length > 0 && upcomingElements >= MAX_CHUNK_ELEMENTS;
        if (row === undefined || isFull || !needsMoreRows(upcoming.length, upcoming[0]?.row)) {
          insertUpcoming();
          return;
        }
        if (upcoming.length === 0) upcomingElements = 0;
        const entry = mount(row, upcoming[0]?.chunk ?? newChunk());
        upcomingElements += entry.view.element.getElementsByTagName('*').length;
        upcoming.unshift(entry);
      }
    },
  };
}
