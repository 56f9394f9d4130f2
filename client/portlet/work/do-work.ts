import { formatPart } from '../../shared/markdown/format-part.ts';
import { highlightPieces } from '../../shared/markdown/highlight-pieces.ts';
import { compareLines } from '../view/tools/diff-lines.ts';
import type { WorkRequest } from './work-request.ts';

/** Shorter than the worker's budget, so that a long comparison ends with a result. */
const COMPARE_TIMEOUT_MS = 2_000;

/** Does what the page asks for. Returns undefined if that is not possible. */
export async function doWork({ kind, request }: WorkRequest): Promise<unknown> {
  switch (kind) {
    case 'format':
      return formatPart(request);
    case 'highlight':
      return highlightPieces(request);
    case 'compare':
      return compareLines(request, COMPARE_TIMEOUT_MS);
  }
}
