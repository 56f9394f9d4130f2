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
  /**
   * Builds older chunks row by row while `mayContinue` allows it. A chunk appears when it is complete; one call shows no more
   * than the browser can lay out at once.
   */
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

/** A chunk that is not shown yet. */
interface Upcoming {
  readonly chunk: HTMLElement;
  /** The rows built so far, oldest first. */
  readonly rows: Mounted[];
  cost: number;
}

/** The elements of each chunk, in order. */
type Layout = Map<HTMLElement, HTMLElement[]>;

/** A chunk has at least MIN rows and then ends before the next user message, but never has more than MAX rows. */
const MIN_CHUNK_ROWS = 16;
const MAX_CHUNK_ROWS = 60;
/** What is laid out in one go, in elements: a chunk that comes into view. A single row may cost more. */
const MAX_COST = 1_000;
/** So many characters take as long to lay out as one element. */
const ELEMENT_LENGTH = 40;

const startsTurn = (row: Row): boolean => row.kind === 'pending' || (row.kind === 'item' && isUserItemId(row.key));

/** Whether `row` starts a new chunk after one with `count` rows. */
function needsNewChunk(count: number, row: Row): boolean {
  return count >= MAX_CHUNK_ROWS || (count >= MIN_CHUNK_ROWS && startsTurn(row));
}

/** Whether a chunk that grows upwards, currently starting with `first`, needs more rows. */
function needsMoreRows(count: number, first: Row | undefined): boolean {
  return count < MIN_CHUNK_ROWS || (count < MAX_CHUNK_ROWS && first !== undefined && !startsTurn(first));
}

function costOf(row: HTMLElement): number {
  return row.getElementsByTagName('*').length + row.textContent.length / ELEMENT_LENGTH;
}

const newChunk = (): HTMLElement => h('div', { class: 'chunk' });

export function createMountedRows(options: MountedRowsOptions): MountedRows {
  const { list, createView, firstCount, startFrame, insertAbove } = options;
  const mounted = new Map<string, Mounted>();
  let rows: readonly Row[] = [];
  let mountedCount = 0;
  /** The next older chunks, newest first. The last one is being built. */
  let upcoming: Upcoming[] = [];

  function drawRow(row: Row): View<Row> {
    const view = mounted.get(row.key)?.view ?? createView(row);
    view.update(row);
    return view;
  }

  const mount = (row: Row, chunk: HTMLElement): Mounted => ({ view: drawRow(row), row, chunk });

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

  const olderCount = (): number => rows.length - mountedCount;

  function nextOlder(): Row | undefined {
    const built = upcoming.reduce((sum, chunk) => sum + chunk.rows.length, 0);
    return rows[olderCount() - built - 1];
  }

  /** Builds a row for the chunk that is being built, or for a new one if that would become too large. */
  function build(row: Row): void {
    const view = drawRow(row);
    const cost = costOf(view.element);
    let current = upcoming.at(-1);
    if (current === undefined || current.cost + cost > MAX_COST) {
      current = { chunk: newChunk(), rows: [], cost: 0 };
      upcoming.push(current);
    }
    current.rows.unshift({ view, row, chunk: current.chunk });
    current.cost += cost;
  }

  function insert({ chunk, rows: built }: Upcoming): void {
    for (const entry of built) {
      entry.view.update(entry.row);
      mounted.set(entry.row.key, entry);
    }
    chunk.append(...built.map(({ view }) => view.element));
    mountedCount += built.length;
    insertAbove(() => list.prepend(chunk));
  }

  return {
    olderCount,
    draw(next, changed) {
      mountedCount = countToMount(next);
      rows = next;
      // Discard the upcoming chunks if they no longer directly precede the mounted rows.
      if (rows[olderCount() - 1]?.key !== upcoming[0]?.rows.at(-1)?.row.key) upcoming = [];
      const shown = rows.slice(olderCount());
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
      let shown = 0;
      while (olderCount() > 0 && mayContinue()) {
        const row = nextOlder();
        const [next] = upcoming;
        const isComplete = upcoming.length > 1 || !needsMoreRows(next?.rows.length ?? 0, next?.rows[0]?.row);
        if (row !== undefined && !isComplete) {
          build(row);
          continue;
        }
        if (next === undefined || (shown > 0 && shown + next.cost > MAX_COST)) return;
        shown += next.cost;
        upcoming.shift();
        insert(next);
      }
    },
  };
}
