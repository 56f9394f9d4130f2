import type { Background } from '../../../shared/markdown/background-format.ts';
import type { Schedule, TextWork } from '../../../shared/markdown/text-work.ts';

export interface CompareRequest {
  readonly oldText: string | null;
  readonly newText: string;
}

/** The result of a comparison, small enough to be passed on from a worker. */
export interface LineChanges {
  /** A character for each line of the diff, in order: ` ` in both texts, `+` added, `-` removed. */
  readonly kinds: string;
  /** False if the comparison timed out: some lines are then shown as replaced although they only moved. */
  readonly isExact: boolean;
}

/** Work that is done beside the page. */
export interface PageWork extends TextWork {
  /** Compares lines; undefined if that took too long. */
  compare(request: CompareRequest): Promise<LineChanges | undefined>;
}

/** How rows draw what may take long. */
export interface Drawing {
  /** Undefined where there are no workers: then everything is drawn at once. */
  readonly work: PageWork | undefined;
  readonly schedule: Schedule;
}

/** What a Markdown view needs of it. */
export function backgroundOf({ work, schedule }: Drawing): Background | undefined {
  return work && { work, schedule };
}
