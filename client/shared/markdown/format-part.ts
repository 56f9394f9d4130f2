import { type Block, type Links, parseBlocks } from './parse-blocks.ts';
import { countStableBlocks } from './stable-blocks.ts';

/** The blocks of a part of a long text, from one position to another. */
export interface FormattedPart {
  readonly blocks: readonly Block[];
  readonly end: number;
  /** The link definitions up to the end of the part. */
  readonly links: Links;
}

export interface PartRequest {
  readonly source: string;
  readonly from: number;
  readonly links: Links;
}

/** How much of a text is parsed at once: the parser takes more than linear time for many blocks. */
const WINDOW = 40_000;
/** The tags of a part: more would take too long to draw and to pass on. */
const PART_TAGS = 3_000;

/** Parses the next part of a long text. A link whose definition is in a later part is not resolved. */
export function formatPart({ source, from, links }: PartRequest): FormattedPart {
  for (let length = WINDOW; ; length *= 4) {
    const text = source.slice(from, from + length);
    const parsed = parseBlocks(text, links);
    const isLast = from + length >= source.length;
    const known = isLast ? parsed.blocks.length : countStableBlocks(parsed.blocks, text);
    if (known === 0 && !isLast) continue;
    const count = Math.min(known, countToTake(parsed.blocks));
    const next = parsed.blocks[count];
    // Blocks are passed on without their source, which is not needed to draw them.
    const blocks = parsed.blocks.slice(0, count).map((block) => ({ ...block, raw: '' }));
    return { blocks, end: next === undefined ? source.length : from + next.start, links: parsed.links };
  }
}

function countToTake(blocks: readonly Block[]): number {
  let tags = 0;
  for (const [index, block] of blocks.entries()) {
    tags += block.tags + 1;
    if (tags > PART_TAGS) return Math.max(1, index);
  }
  return blocks.length;
}
