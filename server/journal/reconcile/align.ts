export type Pair = readonly [left: number, right: number];

export interface Alignment {
  readonly left: number;
  readonly right: number;
  /** How well two elements fit, as an integer. 0: not at all. */
  readonly weigh: (left: number, right: number) => number;
  /** They belong together, whatever else there is. */
  readonly isSame: (left: number, right: number) => boolean;
}

/** More combinations than this are not weighed against each other. */
const MAX_COMBINATIONS = 250_000;
/** How far to look for a counterpart then. */
const REACH = 64;

/** Pairs elements of two sequences so that both orders are kept and they fit best together; the earliest of equals. */
export function alignInOrder({ left, right, weigh, isSame }: Alignment): Pair[] {
  let start = 0;
  const shorter = Math.min(left, right);
  while (start < shorter && isSame(start, start)) start += 1;
  let tail = 0;
  while (tail < shorter - start && isSame(left - 1 - tail, right - 1 - tail)) tail += 1;
  const between = { start, left: left - tail, right: right - tail, weigh };
  const size = (between.left - start) * (between.right - start);
  const pairs: Pair[] = [];
  for (let index = 0; index < start; index += 1) pairs.push([index, index]);
  if (size > 0) pairs.push(...(size > MAX_COMBINATIONS ? alignGreedily(between) : alignBest(between)));
  for (let index = tail; index > 0; index -= 1) pairs.push([left - index, right - index]);
  return pairs.length === left ? pairs : moveUp(pairs, weigh, isSame);
}

/** Aligns what is between pairs that are fixed. `align` gets a part and where it begins. */
export function alignAround(
  fixed: readonly Pair[],
  { left, right, weigh, isSame }: Alignment,
  align: (between: Alignment, left: number, right: number) => readonly Pair[] = alignInOrder,
): Pair[] {
  const pairs: Pair[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (const [toLeft, toRight] of [...fixed, [left, right] as const]) {
    const [startLeft, startRight] = [fromLeft, fromRight];
    if (toLeft > startLeft && toRight > startRight) {
      const between: Alignment = {
        left: toLeft - startLeft,
        right: toRight - startRight,
        weigh: (l, r) => weigh(startLeft + l, startRight + r),
        isSame: (l, r) => isSame(startLeft + l, startRight + r),
      };
      for (const [l, r] of align(between, startLeft, startRight)) pairs.push([startLeft + l, startRight + r]);
    }
    if (toLeft < left && toRight < right) pairs.push([toLeft, toRight]);
    [fromLeft, fromRight] = [toLeft + 1, toRight + 1];
  }
  return pairs;
}

/** Moves pairs to elements before them that fit as well. */
function moveUp(pairs: readonly Pair[], weigh: Alignment['weigh'], isSame: Alignment['isSame']): Pair[] {
  let free = 0;
  return pairs.map(([left, right]) => {
    let earliest = left;
    for (let other = left - 1; other >= free; other -= 1) {
      if (isSame(other, right) && weigh(other, right) >= weigh(earliest, right)) earliest = other;
    }
    free = earliest + 1;
    return [earliest, right];
  });
}

interface Between extends Omit<Alignment, 'isSame'> {
  readonly start: number;
}

function alignBest({ start, left, right, weigh }: Between): Pair[] {
  const rows = left - start;
  const columns = right - start;
  if (rows === 0 || columns === 0) return [];
  const width = columns + 1;
  const weights = new Float64Array(rows * columns);
  const best = new Float64Array((rows + 1) * width);
  const at = (values: Float64Array, index: number) => values[index] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const weight = weigh(start + row, start + column);
      weights[row * columns + column] = weight;
      best[row * width + column] = Math.max(
        at(best, (row + 1) * width + column),
        at(best, row * width + column + 1),
        weight + at(best, (row + 1) * width + column + 1),
      );
    }
  }
  const pairs: Pair[] = [];
  let row = 0;
  let column = 0;
  while (row < rows && column < columns) {
    const weight = at(weights, row * columns + column);
    const here = at(best, row * width + column);
    if (weight > 0 && weight + at(best, (row + 1) * width + column + 1) === here) {
      pairs.push([start + row, start + column]);
      row += 1;
      column += 1;
    } else if (at(best, (row + 1) * width + column) === here) row += 1;
    else column += 1;
  }
  return pairs;
}

function alignGreedily({ start, left, right, weigh }: Between): Pair[] {
  const pairs: Pair[] = [];
  let from = start;
  for (let column = start; column < right && from < left; column += 1) {
    const end = Math.min(left, from + REACH);
    for (let row = from; row < end; row += 1) {
      if (weigh(row, column) === 0) continue;
      pairs.push([row, column]);
      from = row + 1;
      break;
    }
  }
  return pairs;
}

/** The longest part of the pairs in which the left sides grow too. The right sides grow. */
export function longestInOrder(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, [left]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[0] ?? 0) < left) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const chain: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) chain.push(pair);
  }
  return chain.reverse();
}
