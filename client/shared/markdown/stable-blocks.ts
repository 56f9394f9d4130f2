import type { Block } from './parse-blocks.ts';

/** Blocks that cannot be continued by the next line, even without a blank line in between. */
const CLOSED = new Set(['space', 'heading', 'hr', 'code']);

/**
 * Counts the leading blocks that further text cannot change. A block is stable once the block after it cannot become
 * part of it: a blank line or a closed block lies between them, and the first line of the later block is complete (a
 * lone `1` could still become the next item of a list above).
 */
export function countStableBlocks(blocks: readonly Block[], source: string): number {
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index];
    const before = blocks[index - 1];
    if (block === undefined || before === undefined || block.type === 'space') continue;
    const isFirstLineComplete = source.indexOf('\n', block.start) !== -1;
    if (isFirstLineComplete && CLOSED.has(before.type) && hasCorrectStart(block, source)) return index;
  }
  return 0;
}

/** The parser may add a line feed to the source; then the positions after it are wrong. */
function hasCorrectStart(block: Block, source: string): boolean {
  return source.startsWith(block.raw, block.start) && (block.start === 0 || source[block.start - 1] === '\n');
}
