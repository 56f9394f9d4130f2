import type { BlockList } from './block-list.ts';
import type { Block, Links } from './parse-blocks.ts';
import type { PlainText } from './plain-text.ts';
import type { Schedule, TextWork } from './text-work.ts';

/** What formatting a text without blocking the page needs. */
export interface Background {
  readonly work: Pick<TextWork, 'format'>;
  readonly schedule: Schedule;
}

export interface BackgroundFormat {
  /** Formats a complete text part by part; what is not formatted yet is shown plain. `covered`: how much is drawn. */
  start(source: string, covered: number): void;
  cancel(): void;
}

const BUDGET_MS = 3_000;
/** When the user asks for it. */
const LONG_BUDGET_MS = 15_000;
/** Tags that are drawn without asking, and tags that are drawn at once. */
const MAX_TAGS = 6_000;
const SLICE_TAGS = 250;
/** A block with tags of its own is sanitized separately, which takes as long as so many tags. */
const SEPARATE_TAGS = 15;

interface Position {
  readonly from: number;
  readonly links: Links;
  /** The number of blocks before. */
  readonly index: number;
}

export function createBackgroundFormat(
  { work, schedule }: Background,
  list: BlockList,
  plain: PlainText,
): BackgroundFormat {
  let run = 0;

  function start(source: string, covered: number): void {
    run += 1;
    const id = run;
    const isCurrent = (): boolean => id === run;
    let tags = 0;

    function showRest(from: number, note: string, onFormat?: () => void): void {
      if (from >= source.length) plain.hide();
      else plain.show({ text: source.slice(from), note, onFormat });
    }

    function resume(position: Position, shownFrom: number): void {
      tags = 0;
      showRest(shownFrom, 'Formatting\u2026');
      void step(position, LONG_BUDGET_MS);
    }

    async function step(position: Position, budgetMs: number): Promise<void> {
      const { from, links, index } = position;
      const part = await work.format({ source, from, links }, budgetMs);
      if (!isCurrent()) return;
      if (part === undefined) {
        const shownFrom = Math.max(from, covered);
        const note = budgetMs === LONG_BUDGET_MS ? 'Too complex to format' : 'Not formatted: this takes long';
        showRest(shownFrom, note, () => resume(position, shownFrom));
        return;
      }
      drawSliced(part.blocks, index, (end) => {
        const next = { from: part.end, links: part.links, index: end };
        tags += part.blocks.reduce((sum, block) => sum + block.tags, 0);
        if (part.end >= source.length) {
          list.truncate(end);
          plain.hide();
        } else if (tags < MAX_TAGS) {
          if (part.end > covered) showRest(part.end, 'Formatting\u2026');
          void step(next, BUDGET_MS);
        } else {
          list.truncate(end);
          showRest(part.end, 'Very long: the rest is not formatted yet', () => resume(next, part.end));
        }
      });
    }

    function drawSliced(blocks: readonly Block[], from: number, onEnd: (index: number) => void): void {
      const count = sliceOf(blocks);
      schedule(() => {
        if (!isCurrent()) return;
        const end = from + list.drawPart(blocks.slice(0, count), from);
        list.settle(end);
        if (count < blocks.length) drawSliced(blocks.slice(count), end, onEnd);
        else onEnd(end);
      });
    }

    showRest(covered, 'Formatting\u2026');
    void step({ from: 0, links: {}, index: 0 }, BUDGET_MS);
  }

  return {
    start,
    cancel() {
      run += 1;
    },
  };
}

function sliceOf(blocks: readonly Block[]): number {
  let tags = 0;
  for (const [index, block] of blocks.entries()) {
    tags += block.tags + (block.hasRawTags ? SEPARATE_TAGS : 1);
    if (tags > SLICE_TAGS) return Math.max(1, index);
  }
  return blocks.length;
}
