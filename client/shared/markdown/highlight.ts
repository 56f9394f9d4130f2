import { h } from '../dom.ts';
import { readCode } from './code-text.ts';
import type { HighlightPiece } from './highlight-pieces.ts';
import { findLanguage } from './languages.ts';
import { isOwnClass } from './sanitize.ts';
import type { TextWork } from './text-work.ts';

/** Longer code is not highlighted, because it would have too many elements. */
const MAX_LENGTH = 40_000;

type Highlight = TextWork['highlight'];

/** For pages without a worker. */
const highlightHere: Highlight = async (request) => {
  const { highlightPieces } = await import('./highlight-pieces.ts');
  return highlightPieces(request);
};

/** Highlights a `<code>` element, unless it changes or is removed meanwhile or highlighting takes too long. */
export async function highlightCode(code: HTMLElement, highlight: Highlight = highlightHere): Promise<void> {
  const language = findLanguage(/language-(\S+)/.exec(code.className)?.[1] ?? '');
  const text = readCode(code);
  if (language === undefined || text.length > MAX_LENGTH || isHighlighted(code)) return;
  const pieces = await highlight({ code: text, language });
  if (pieces === undefined || !code.isConnected || readCode(code) !== text || isHighlighted(code)) return;
  code.replaceChildren(drawPieces(pieces));
  code.classList.remove('has-parts');
}

const isHighlighted = (code: HTMLElement): boolean => code.querySelector('[class^="hljs"]') !== null;

function drawPieces(pieces: readonly HighlightPiece[]): DocumentFragment {
  const root = document.createDocumentFragment();
  let parent: DocumentFragment | HTMLElement = root;
  for (const piece of pieces) {
    if (piece === null) parent = parent.parentElement ?? root;
    else if (typeof piece === 'string') parent.append(piece);
    else {
      const element = h('span', isOwnClass(piece.classes) ? { class: piece.classes } : {});
      parent.append(element);
      parent = element;
    }
  }
  return root;
}

/** Highlights the code in a finished block when it comes near the viewport. */
export function createHighlighter(highlight?: Highlight): (block: HTMLElement) => void {
  const observer =
    typeof IntersectionObserver === 'undefined'
      ? undefined
      : new IntersectionObserver(
          (entries) => {
            for (const { isIntersecting, target } of entries) {
              if (!isIntersecting) continue;
              observer?.unobserve(target);
              void highlightCode(target as HTMLElement, highlight);
            }
          },
          { rootMargin: '400px' },
        );
  return (block) => {
    for (const code of block.querySelectorAll<HTMLElement>('code[class^="language-"]')) {
      if (observer === undefined) void highlightCode(code, highlight);
      else observer.observe(code);
    }
  };
}
