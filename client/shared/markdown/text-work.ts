import type { FormattedPart, PartRequest } from './format-part.ts';
import type { HighlightPiece, HighlightRequest } from './highlight-pieces.ts';

/** Work on text that may take long. Every function returns undefined if it took longer than its budget, or failed. */
export interface TextWork {
  format(request: PartRequest, budgetMs: number): Promise<FormattedPart | undefined>;
  highlight(request: HighlightRequest): Promise<readonly HighlightPiece[] | undefined>;
}

/** Runs a task in one of the next frames. Each frame has time for a few tasks only. */
export type Schedule = (task: () => void) => void;
