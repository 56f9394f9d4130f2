import { h } from '../dom.ts';
import { setCode } from './code-text.ts';
import { morphChildren } from './morph.ts';
import { findOpenFence, type OpenFence } from './open-fence.ts';
import { type Block, type Links, parseBlocks } from './parse-blocks.ts';
import { renderBlocks } from './render-block.ts';
import { countStableBlocks } from './stable-blocks.ts';
import { readable } from '../escape-invisible.ts';

export interface MarkdownView {
  readonly element: HTMLElement;
  /** Shows `text`, usually the text before with more at its end. With `finished` no more is expected. */
  update(text: string, finished: boolean): void;
}

interface DrawnBlock {
  html: string;
  readonly element: HTMLElement;
  settled: boolean;
}

/** Stands for the HTML of a block whose text was extended without parsing. */
const DRAWN_AS_TEXT = '';

const isVisible = (block: Block): boolean => block.html !== '';

/**
 * Markdown that may still be growing. Blocks that no further text can change are left alone; only what comes after
 * them is parsed and drawn again, and a code block that is being written only has its text extended. What is on the
 * page in the end does not depend on how the text came in.
 */
export function createMarkdownView(onSettled: (block: HTMLElement) => void = () => {}): MarkdownView {
  const element = h('div', { class: 'markdown' });
  const drawn: DrawnBlock[] = [];
  let text = '';
  let source = '';
  let isFinished = false;
  /** Everything before is settled: this many drawn blocks, ending at `base`, with these links. */
  let settledCount = 0;
  let base = 0;
  let links: Links = {};
  let fence: OpenFence | undefined;

  function take(next: string): void {
    if (next.startsWith(text)) {
      const added = next.slice(text.length);
      source += readable(text.endsWith('\r') && added.startsWith('\n') ? added.slice(1) : added);
    } else {
      source = readable(next);
      startOver();
    }
    text = next;
  }

  function startOver(): void {
    settledCount = 0;
    base = 0;
    links = {};
    fence = undefined;
  }

  function draw(blocks: readonly Block[], from: number): void {
    const visible = blocks.filter(isVisible);
    const isDrawn = (block: Block, index: number): boolean => drawn[from + index]?.html === block.html;
    const rendered = renderBlocks(visible.filter((block, index) => !isDrawn(block, index)));
    visible.forEach((block, index) => {
      if (isDrawn(block, index)) return;
      const current = drawn[from + index];
      const wanted = rendered.shift();
      if (wanted === undefined) return;
      if (current === undefined) {
        element.append(wanted);
        drawn.push({ html: block.html, element: wanted, settled: false });
      } else {
        morphChildren(current.element, wanted);
        current.html = block.html;
        current.settled = false;
      }
    });
    for (const { element: extra } of drawn.splice(from + visible.length)) extra.remove();
  }

  function settle(count: number): void {
    for (const block of drawn.slice(0, count)) {
      if (block.settled) continue;
      block.settled = true;
      onSettled(block.element);
    }
    settledCount = count;
  }

  /** False when there is no open fence, or when it may have been closed and the text must be parsed. */
  function extendFence(): boolean {
    const last = drawn.at(-1);
    const code = last?.element.querySelector('code');
    if (fence === undefined || last === undefined || !code || fence.mayBeClosed(source)) return false;
    setCode(code, fence.code(source));
    last.html = DRAWN_AS_TEXT;
    return true;
  }

  function drawGrowing(): void {
    if (extendFence()) return;
    const rest = source.slice(base);
    const { blocks } = parseBlocks(rest, links);
    draw(blocks, settledCount);
    fence = findOpenFence(blocks.at(-1), base + (blocks.at(-1)?.start ?? 0), source);

    const stable = blocks.slice(0, countStableBlocks(blocks, rest));
    const end = blocks[stable.length]?.start ?? 0;
    if (stable.length === 0) return;
    if (rest.slice(0, end).includes(']:')) links = parseBlocks(rest.slice(0, end), links).links;
    base += end;
    settle(settledCount + stable.filter(isVisible).length);
  }

  return {
    element,
    update(next, finished) {
      if (next === text && finished === isFinished) return;
      take(next);
      isFinished = finished;
      if (!finished) {
        drawGrowing();
        return;
      }
      startOver();
      draw(parseBlocks(source).blocks, 0);
      settle(drawn.length);
    },
  };
}
