import { h } from '../dom.ts';
import { escapeInvisible } from '../escape-invisible.ts';
import { setCode } from './code-text.ts';
import { morphChildren } from './morph.ts';
import { findOpenFence, type OpenFence } from './open-fence.ts';
import { type Block, type Links, parseBlocks } from './parse-blocks.ts';
import { renderBlocks } from './render-block.ts';
import { countStableBlocks } from './stable-blocks.ts';

export interface MarkdownView {
  readonly element: HTMLElement;
  /** Shows `text`, usually the previous text with more at its end. `finished` means that no more is expected. */
  update(text: string, finished: boolean): void;
}

interface DrawnBlock {
  html: string;
  readonly element: HTMLElement;
  settled: boolean;
}

/** Replaces the HTML of a block whose text was extended without parsing. */
const DRAWN_AS_TEXT = '';

const isVisible = (block: Block): boolean => block.html !== '';

/**
 * Markdown that may still be growing. Blocks that further text cannot change are left alone; only the rest is parsed
 * and drawn again. A code block that is still open only has its text extended. The final result does not depend on how
 * the text was split.
 */
export function createMarkdownView(onSettled: (block: HTMLElement) => void = () => {}): MarkdownView {
  const element = h('div', { class: 'markdown' });
  const drawn: DrawnBlock[] = [];
  let text = '';
  let source = '';
  let isFinished = false;
  /** The settled part: this many drawn blocks, up to `base` in the source, with these link definitions. */
  let settledCount = 0;
  let base = 0;
  let links: Links = {};
  let fence: OpenFence | undefined;

  function take(next: string): void {
    if (next.startsWith(text)) {
      const added = next.slice(text.length);
      source += escapeInvisible(text.endsWith('\r') && added.startsWith('\n') ? added.slice(1) : added);
    } else {
      source = escapeInvisible(next);
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

  /** Returns false if there is no open fence, or if it may have been closed and the text must be parsed. */
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

const SAMPLE = `## a

*b* **c** \`d\` [e](https://example.com)

- f
- g

| h |
|---|
| i |

\`\`\`ts
j
\`\`\`
`;

/** Draws one block of each kind off the page, so that the first real message does not pay for initialisation. */
export function warmUpMarkdown(): void {
  createMarkdownView().update(SAMPLE, true);
}
