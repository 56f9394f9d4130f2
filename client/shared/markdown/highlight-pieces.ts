import type { HLJSApi } from 'highlight.js';
import { type LanguageName, loadLanguage } from './languages.ts';

/** Highlighted code as a sequence: text, the start of an element with these classes, or the end of one (null). */
export type HighlightPiece = string | { readonly classes: string } | null;

export interface HighlightRequest {
  readonly code: string;
  readonly language: LanguageName;
}

/** Code with more elements stays plain. */
const MAX_ELEMENTS = 8_000;

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

/** Returns undefined if the grammar cannot be loaded or the result has too many elements. */
export async function highlightPieces({ code, language }: HighlightRequest): Promise<HighlightPiece[] | undefined> {
  try {
    const highlighter = await loadHighlighter(language);
    return readPieces(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
  } catch {
    loading = undefined;
    return undefined;
  }
}

/** The highlighter writes nothing but spans with a class and escaped text. */
const TOKEN = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

function readPieces(html: string): HighlightPiece[] | undefined {
  const pieces: HighlightPiece[] = [];
  let elements = 0;
  for (const [token, classes] of html.matchAll(TOKEN)) {
    if (classes !== undefined) {
      elements += 1;
      if (elements > MAX_ELEMENTS) return undefined;
      pieces.push({ classes });
    } else if (token === '</span>') pieces.push(null);
    else pieces.push(token.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity));
  }
  return pieces;
}
