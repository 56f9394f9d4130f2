import type { Block } from './parse-blocks.ts';

/** Blocks that take no line after their own end, even without a blank line between. */
const CLOSED = new Set(['space', 'heading', 'hr', 'code']);

/**
 * How many leading blocks no further text can change. A block is settled when the one after it cannot become part of
 * it any more: a blank line or a closed block lies between, and the first line of the later one is whole (a lone `1`
 * may still become the next item of a list above).
 */
export function countStableBlocks(blocks: readonly Block[], source: string): number {
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index];
    const before = blocks[index - 1];
    if (block === undefined || before === undefined || block.type === 'space') continue;
    const firstLineIsWhole = source.indexOf('\n', block.start) !== -1;
    if (firstLineIsWhole && CLOSED.has(before.type) && startsWhereItSays(block, source)) return index;
  }
  return 0;
}

/** The parser may add a line feed to what it read; then positions behind it cannot be trusted. */
function startsWhereItSays(block: Block, source: string): boolean {
  return source.startsWith(block.raw, block.start) && (block.start === 0 || source[block.start - 1] === '\n');
}
