import type { DiffLine } from './diff-lines.ts';

/** Lines that are shown, or unchanged ones that are folded away. */
export interface DiffPart {
  readonly lines: readonly DiffLine[];
  readonly isFolded: boolean;
}

const CONTEXT = 3;
/** Fewer lines than this are not worth a fold. */
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
