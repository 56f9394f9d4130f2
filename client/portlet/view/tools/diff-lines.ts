import { diffArrays } from 'diff/lib/diff/array.js';
import type { CompareRequest, LineChanges } from '../text/drawing.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Counted from 1; undefined on the side that does not have the line. */
  readonly oldNumber: number | undefined;
  readonly newNumber: number | undefined;
}

export interface LineDiff {
  readonly lines: readonly DiffLine[];
  /** False if the comparison timed out: some lines are then shown as replaced although they only moved. */
  readonly isExact: boolean;
}

/** How long a comparison may take where it blocks the page. */
const TIMEOUT_MS = 100;

/** Lists the lines of both texts with the fewest possible changes. `oldText` is null for a new file. */
export function diffLines(oldText: string | null, newText: string, timeoutMs = TIMEOUT_MS): LineDiff {
  const request = { oldText, newText };
  return toLineDiff(request, compareLines(request, timeoutMs));
}

/** Compares the lines. With a timeout of 0, only the lines that both texts begin and end with count as the same. */
export function compareLines({ oldText, newText }: CompareRequest, timeoutMs: number): LineChanges {
  const before = oldText === null ? [] : splitLines(oldText);
  const after = splitLines(newText);
  const common = timeoutMs === 0 ? undefined : findCommonLines(before, after, timeoutMs);
  return { kinds: toKinds(common ?? findCommonEnds(before, after)), isExact: common !== undefined };
}

/** Whether a comparison is certainly quick. */
export function isQuickDiff({ oldText, newText }: CompareRequest): boolean {
  return (oldText?.length ?? 0) + newText.length <= 60_000;
}

export function toLineDiff({ oldText, newText }: CompareRequest, { kinds, isExact }: LineChanges): LineDiff {
  const before = oldText === null ? [] : splitLines(oldText);
  return { lines: toDiffLines(kinds, before, splitLines(newText)), isExact };
}

function splitLines(text: string): string[] {
  if (text === '') return [];
  const fed = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return (fed.endsWith('\n') ? fed.slice(0, -1) : fed).split('\n');
}

/** For each line of either text, whether it is part of the common text. */
interface Common {
  readonly before: readonly boolean[];
  readonly after: readonly boolean[];
}

/**
 * The longest common text, or undefined if the search times out. Lines that only one side has are left out of the
 * search: they cannot be part of the common text, and the cost grows with the square of the number of changes.
 */
function findCommonLines(before: readonly string[], after: readonly string[], timeout: number): Common | undefined {
  const oldLines = new Set(before);
  const newLines = new Set(after);
  const changes = diffArrays(
    before.filter((line) => newLines.has(line)),
    after.filter((line) => oldLines.has(line)),
    { timeout },
  );
  if (changes === undefined) return undefined;
  const old = changes.flatMap(({ added, removed, value }) => (added ? [] : value.map(() => !removed))).values();
  const now = changes.flatMap(({ added, removed, value }) => (removed ? [] : value.map(() => !added))).values();
  return {
    before: before.map((line) => newLines.has(line) && old.next().value === true),
    after: after.map((line) => oldLines.has(line) && now.next().value === true),
  };
}

/** The lines that both texts begin and end with. */
function findCommonEnds(before: readonly string[], after: readonly string[]): Common {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const isAtEnd = (lines: readonly string[]) => lines.map((_, index) => index < head || index >= lines.length - tail);
  return { before: isAtEnd(before), after: isAtEnd(after) };
}

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'same', '+': 'added', '-': 'removed' };

/** Between two common lines, removed lines come before added ones. */
function toKinds({ before, after }: Common): string {
  const kinds: string[] = [];
  let newIndex = 0;
  const takeAdded = (): void => {
    for (; after[newIndex] === false; newIndex += 1) kinds.push('+');
  };
  for (const isCommon of before) {
    if (isCommon) {
      takeAdded();
      newIndex += 1;
    }
    kinds.push(isCommon ? ' ' : '-');
  }
  takeAdded();
  return kinds.join('');
}

function toDiffLines(kinds: string, before: readonly string[], after: readonly string[]): DiffLine[] {
  let oldCount = 0;
  let newCount = 0;
  const lines: DiffLine[] = [];
  for (let index = 0; index < kinds.length; index += 1) {
    const kind = KINDS[kinds.charAt(index)] ?? 'same';
    if (kind !== 'added') oldCount += 1;
    if (kind !== 'removed') newCount += 1;
    lines.push({
      kind,
      text: (kind === 'removed' ? before[oldCount - 1] : after[newCount - 1]) ?? '',
      oldNumber: kind === 'added' ? undefined : oldCount,
      newNumber: kind === 'removed' ? undefined : newCount,
    });
  }
  return lines;
}

/** Lines that are shown, or unchanged lines that are folded. */
export interface DiffPart {
  readonly lines: readonly DiffLine[];
  readonly isFolded: boolean;
}

const CONTEXT = 3;
/** Fewer lines than this are not folded. */
const SHORTEST_FOLD = 4;

/** Keeps a few unchanged lines around every change and folds the rest. */
export function foldLines(lines: readonly DiffLine[]): DiffPart[] {
  const parts: DiffPart[] = [];
  for (let start = 0; start < lines.length; ) {
    const isSame = lines[start]?.kind === 'same';
    let end = start;
    while (end < lines.length && (lines[end]?.kind === 'same') === isSame) end += 1;
    const foldStart = start === 0 ? 0 : start + CONTEXT;
    const foldEnd = end === lines.length ? end : end - CONTEXT;
    if (isSame && foldEnd - foldStart >= SHORTEST_FOLD) {
      push(parts, lines.slice(start, foldStart), false);
      push(parts, lines.slice(foldStart, foldEnd), true);
      push(parts, lines.slice(foldEnd, end), false);
    } else push(parts, lines.slice(start, end), false);
    start = end;
  }
  return parts;
}

function push(parts: DiffPart[], lines: readonly DiffLine[], isFolded: boolean): void {
  if (lines.length > 0) parts.push({ lines, isFolded });
}
