import type { HLJSApi } from 'highlight.js';
import { readCode } from './code-text.ts';
import { findLanguage, type LanguageName, loadLanguage } from './languages.ts';
import { sanitize } from './sanitize.ts';

/** Longer code is not highlighted, because that would block the page. */
const MAX_LENGTH = 40_000;

let loading: Promise<HLJSApi> | undefined;

async function loadHighlighter(language: LanguageName): Promise<HLJSApi> {
  loading ??= import('highlight.js/lib/core').then((module) => module.default);
  const highlighter = await loading;
  if (highlighter.getLanguage(language) === undefined) {
    const grammar = await loadLanguage(language);
    highlighter.registerLanguage(language, grammar.default);
  }
  return highlighter;
}

/** Highlights a `<code>` element, unless it changes or is removed meanwhile or its grammar cannot be loaded. */
export async function highlightCode(code: HTMLElement): Promise<void> {
  const language = findLanguage(/language-(\S+)/.exec(code.className)?.[1] ?? '');
  const text = readCode(code);
  if (language === undefined || text.length > MAX_LENGTH || isHighlighted(code)) return;
  try {
    const highlighter = await loadHighlighter(language);
    if (!code.isConnected || readCode(code) !== text || isHighlighted(code)) return;
    code.replaceChildren(sanitize(highlighter.highlight(text, { language, ignoreIllegals: true }).value));
  } catch {
    loading = undefined;
  }
}

const isHighlighted = (code: HTMLElement): boolean => code.querySelector('[class^="hljs"]') !== null;

/** Highlights the code in a finished block when it comes near the viewport. */
export function createHighlighter(): (block: HTMLElement) => void {
  const observer =
    typeof IntersectionObserver === 'undefined'
      ? undefined
      : new IntersectionObserver(
          (entries) => {
            for (const { isIntersecting, target } of entries) {
              if (!isIntersecting) continue;
              observer?.unobserve(target);
              void highlightCode(target as HTMLElement);
            }
          },
          { rootMargin: '400px' },
        );
  return (block) => {
    for (const code of block.querySelectorAll<HTMLElement>('code[class^="language-"]')) {
      if (observer === undefined) void highlightCode(code);
      else observer.observe(code);
    }
  };
}
