import { h } from '../dom.ts';
import { escapeInvisible, settledLength } from '../escape-invisible.ts';
import { type Background, createBackgroundFormat } from './background-format.ts';
import { createBlockList, isVisible } from './block-list.ts';
import { setCode } from './code-text.ts';
import { isCheap } from './cost.ts';
import { findOpenFence, type OpenFence } from './open-fence.ts';
import { type Links, parseBlocks } from './parse-blocks.ts';
import { createPlainText } from './plain-text.ts';
import { countStableBlocks } from './stable-blocks.ts';

export interface MarkdownView {
  readonly element: HTMLElement;
  /** Shows `text`, usually the previous text with more at its end. `finished` means that no more is expected. */
  update(text: string, finished: boolean): void;
}

/** A growing text with more tags is shown plain from there on until it is finished. */
const MAX_GROWING_TAGS = 12_000;

/**
 * Markdown that may still be growing. Blocks that further text cannot change are left alone; only the rest is parsed
 * and drawn again. A code block that is still open only has its text extended. The final result does not depend on how
 * the text was split.
 *
 * Text that may take long is parsed in the background if there is one: while it grows, the part that is too expensive is
 * shown plain; when it is finished, it is formatted part by part.
 */
export function createMarkdownView(
  onSettled: (block: HTMLElement) => void = () => {},
  background?: Background,
): MarkdownView {
  const element = h('div', { class: 'markdown' });
  const list = createBlockList(element, onSettled);
  const plain = createPlainText(element);
  const format = background && createBackgroundFormat(background, list, plain);
  let text = '';
  let source = '';
  let isFinished = false;
  /** The text up to the first number is the source up to the second, whatever follows. */
  let settledText = 0;
  let settledSource = 0;
  /** The settled part: this many drawn blocks, up to `base` in the source, with these link definitions. */
  let settledCount = 0;
  let base = 0;
  let links: Links = {};
  let fence: OpenFence | undefined;
  /** How much of the source is drawn as blocks. The rest of a growing text is shown plain if `isPlain`. */
  let covered = 0;
  let isPlain = false;

  function take(next: string): void {
    if (!next.startsWith(text)) startOver();
    if (settledText === 0) settledSource = 0;
    const end = Math.max(settledLength(next), settledText);
    const settled = source.slice(0, settledSource) + escapeInvisible(next.slice(settledText, end));
    source = settled + escapeInvisible(next.slice(end));
    settledText = end;
    settledSource = settled.length;
    text = next;
  }

  function startOver(): void {
    settledText = 0;
    forgetBlocks();
    covered = 0;
    isPlain = false;
  }

  function forgetBlocks(): void {
    settledCount = 0;
    base = 0;
    links = {};
    fence = undefined;
  }

  /** Returns false if there is no open fence, or if it may have been closed and the text must be parsed. */
  function extendFence(): boolean {
    const code = list.last()?.querySelector('code');
    if (fence === undefined || !code || fence.mayBeClosed(source)) return false;
    setCode(code, fence.code(source));
    list.lastChanged();
    covered = source.length;
    return true;
  }

  function drawGrowing(): void {
    if (extendFence()) return;
    const rest = source.slice(base);
    isPlain ||= background !== undefined && (list.tags() > MAX_GROWING_TAGS || !isCheap(rest));
    if (isPlain) {
      plain.show({ text: source.slice(covered), isGrowing: true, note: 'Formatted when it is complete' });
      return;
    }
    plain.hide();
    const { blocks } = parseBlocks(rest, links);
    list.draw(blocks, settledCount);
    covered = source.length;
    fence = findOpenFence(blocks.at(-1), base + (blocks.at(-1)?.start ?? 0), source);

    const stable = blocks.slice(0, countStableBlocks(blocks, rest));
    const end = blocks[stable.length]?.start ?? 0;
    if (stable.length === 0) return;
    if (rest.slice(0, end).includes(']:')) links = parseBlocks(rest.slice(0, end), links).links;
    base += end;
    settledCount += stable.filter(isVisible).length;
    list.settle(settledCount);
  }

  function drawFinished(): void {
    forgetBlocks();
    isPlain = false;
    const isLong = format !== undefined && !isCheap(source);
    element.classList.toggle('is-long', isLong);
    if (isLong) {
      format.start(source, covered);
      return;
    }
    plain.hide();
    list.draw(parseBlocks(source).blocks, 0);
    list.settle(list.count());
    covered = source.length;
  }

  return {
    element,
    update(next, finished) {
      if (next === text && finished === isFinished) return;
      format?.cancel();
      take(next);
      isFinished = finished;
      if (finished) drawFinished();
      else drawGrowing();
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
