import { createBlockGroups } from './block-groups.ts';
import { morphChildren } from './morph.ts';
import type { Block } from './parse-blocks.ts';
import { renderBlocks } from './render-block.ts';

/** The blocks of a text that are drawn, in order. */
export interface BlockList {
  /** Draws blocks at this place and after it, and removes what is left after them. Blocks without HTML are skipped. */
  draw(blocks: readonly Block[], from: number): void;
  /**
   * The same for a part of a long text: keeps what is left after them, and new blocks go into groups. Returns the number
   * of visible blocks.
   */
  drawPart(blocks: readonly Block[], from: number): number;
  /** Removes the blocks after the first `count`. */
  truncate(count: number): void;
  /** Further text cannot change the first `count` blocks. */
  settle(count: number): void;
  count(): number;
  tags(): number;
  last(): HTMLElement | undefined;
  /** The last block was changed without parsing. */
  lastChanged(): void;
}

interface DrawnBlock {
  html: string;
  tags: number;
  element: HTMLElement;
  settled: boolean;
}

/** So many characters take as long to draw as one tag. */
const TAG_LENGTH = 40;
/** Replaces the HTML of a block whose text was extended without parsing. */
const DRAWN_AS_TEXT = '';

export const isVisible = (block: Block): boolean => block.html !== '';

export function createBlockList(element: HTMLElement, onSettled: (block: HTMLElement) => void): BlockList {
  const drawn: DrawnBlock[] = [];
  const groups = createBlockGroups(element);
  let totalTags = 0;

  function drawBlocks(blocks: readonly Block[], from: number, isLong: boolean): number {
    const visible = blocks.filter(isVisible);
    const isDrawn = (block: Block, index: number): boolean => drawn[from + index]?.html === block.html;
    const rendered = renderBlocks(visible.filter((block, index) => !isDrawn(block, index)));
    visible.forEach((block, index) => {
      if (isDrawn(block, index)) return;
      const current = drawn[from + index];
      const wanted = rendered.shift();
      if (wanted === undefined) return;
      totalTags += block.tags - (current?.tags ?? 0);
      if (current === undefined) {
        const last = drawn.at(-1)?.element;
        if (isLong) groups.add(wanted, last, block.tags + block.html.length / TAG_LENGTH);
        else groups.addAlone(wanted, last);
        drawn.push({ html: block.html, tags: block.tags, element: wanted, settled: false });
      } else {
        if (block.isPlain) {
          current.element.replaceWith(wanted);
          current.element = wanted;
        } else morphChildren(current.element, wanted);
        current.html = block.html;
        current.tags = block.tags;
        current.settled = false;
      }
    });
    return visible.length;
  }

  function truncate(count: number): void {
    for (const { element: extra, tags } of drawn.splice(count)) {
      totalTags -= tags;
      groups.remove(extra);
    }
  }

  return {
    drawPart: (blocks, from) => drawBlocks(blocks, from, true),
    draw(blocks, from) {
      truncate(from + drawBlocks(blocks, from, false));
    },
    truncate,
    settle(count) {
      for (const block of drawn.slice(0, count)) {
        if (block.settled) continue;
        block.settled = true;
        onSettled(block.element);
      }
    },
    count: () => drawn.length,
    tags: () => totalTags,
    last: () => drawn.at(-1)?.element,
    lastChanged() {
      const last = drawn.at(-1);
      if (last !== undefined) last.html = DRAWN_AS_TEXT;
    },
  };
}
