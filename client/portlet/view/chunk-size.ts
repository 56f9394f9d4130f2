import type { Row } from '../model/rows.ts';

/** A chunk holds whole turns where it can: this many rows, then on to the next question, but never more than the most. */
const ENOUGH = 16;
const MOST = 60;

const startsTurn = (row: Row): boolean => row.kind === 'pending' || (row.kind === 'item' && row.key.endsWith(':user'));

/** Whether `row` begins a new chunk after one with `count` rows. */
export function needsNewChunk(count: number, row: Row): boolean {
  return count >= MOST || (count >= ENOUGH && startsTurn(row));
}

/** Whether a chunk that grows upwards, with `first` on top, needs more rows. */
export function isTooSmall(count: number, first: Row | undefined): boolean {
  return count < ENOUGH || (count < MOST && first !== undefined && !startsTurn(first));
}
