export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Counted from 1; undefined where the side does not have the line. */
  readonly oldNumber: number | undefined;
  readonly newNumber: number | undefined;
}

/** Beyond this many differing lines the search costs more than it tells: everything is shown as replaced. */
const MOST_EDITS = 400;

/** The lines of both texts in one list, with the fewest changes. `oldText` is null for a new file. */
export function diffLines(oldText: string | null, newText: string): DiffLine[] {
  const before = oldText === null ? [] : splitLines(oldText);
  const after = splitLines(newText);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (tail < shorter && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;

  const kinds: DiffLine['kind'][] = [
    ...Array<'same'>(start).fill('same'),
    ...diffKinds(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...Array<'same'>(tail).fill('same'),
  ];
  slideDown(kinds, before, after);
  return number(kinds, before, after);
}

/**
 * Moves a run of added or removed lines down as far as the text stays the same: a new function then ends with its own
 * closing brace instead of beginning with the one before.
 */
function slideDown(kinds: DiffLine['kind'][], before: readonly string[], after: readonly string[]): void {
  const texts = number(kinds, before, after).map(({ text }) => text);
  for (let start = 0; start < kinds.length; ) {
    const kind = kinds[start];
    let end = start;
    while (end < kinds.length && kinds[end] === kind) end += 1;
    let first = start;
    while (kind !== 'same' && kinds[end] === 'same' && texts[end] === texts[first] && first < end) {
      kinds[first] = 'same';
      kinds[end] = kind ?? 'same';
      first += 1;
      end += 1;
    }
    start = end;
  }
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
}

function number(kinds: readonly DiffLine['kind'][], before: readonly string[], after: readonly string[]): DiffLine[] {
  let oldCount = 0;
  let newCount = 0;
  return kinds.map((kind) => {
    if (kind !== 'added') oldCount += 1;
    if (kind !== 'removed') newCount += 1;
    return {
      kind,
      text: (kind === 'removed' ? before[oldCount - 1] : after[newCount - 1]) ?? '',
      oldNumber: kind === 'added' ? undefined : oldCount,
      newNumber: kind === 'removed' ? undefined : newCount,
    };
  });
}

/**
 * How far into the old lines the best path gets, by diagonal (lines removed minus lines added), after some number of
 * edits. Diagonals run from -edits to edits.
 */
type Frontier = ReadonlyMap<number, number>;

/** The shortest way from `before` to `after` (Myers), removals before additions. */
function diffKinds(before: readonly string[], after: readonly string[]): DiffLine['kind'][] {
  const frontiers = search(before, after);
  if (frontiers !== undefined) return traceBack(frontiers, before.length, after.length);
  return [...before.map(() => 'removed' as const), ...after.map(() => 'added' as const)];
}

/** The frontiers before each edit of the shortest way, or undefined if it takes too many. */
function search(before: readonly string[], after: readonly string[]): Frontier[] | undefined {
  const frontiers: Frontier[] = [];
  let frontier: Frontier = new Map([[1, 0]]);
  for (let edits = 0; edits <= MOST_EDITS; edits += 1) {
    frontiers.push(frontier);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = addedLast(frontier, diagonal) ? at(frontier, diagonal + 1) : at(frontier, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return frontiers;
    }
    frontier = next;
  }
  return undefined;
}

const at = (frontier: Frontier, diagonal: number): number => frontier.get(diagonal) ?? -1;

/** Whether the best path onto this diagonal adds a line rather than removing one. */
function addedLast(frontier: Frontier, diagonal: number): boolean {
  return at(frontier, diagonal - 1) < at(frontier, diagonal + 1);
}

function traceBack(frontiers: readonly Frontier[], oldEnd: number, newEnd: number): DiffLine['kind'][] {
  const kinds: DiffLine['kind'][] = [];
  let x = oldEnd;
  let diagonal = oldEnd - newEnd;
  for (const frontier of frontiers.slice(1).reverse()) {
    const isAddition = addedLast(frontier, diagonal);
    diagonal += isAddition ? 1 : -1;
    const fromX = at(frontier, diagonal);
    for (let same = x - fromX - (isAddition ? 0 : 1); same > 0; same -= 1) kinds.push('same');
    kinds.push(isAddition ? 'added' : 'removed');
    x = fromX;
  }
  for (; x > 0; x -= 1) kinds.push('same');
  return kinds.reverse();
}
