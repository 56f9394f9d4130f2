import { Marked, type Token, type Tokens, type TokensList } from 'marked';
import { countOpenTags, escapeHtml, escapeRawHtml, isPlainHtml } from './raw-html.ts';

/** Link reference definitions by label. */
export type Links = TokensList['links'];

export interface Block {
  readonly type: string;
  /** Start of the block in the parsed source. */
  readonly start: number;
  readonly raw: string;
  /** Not yet sanitized. If `isPlain`, the text as it was written. */
  readonly html: string;
  readonly isPlain?: boolean;
  /** The HTML contains tags from the text, so it may leave elements open. */
  readonly hasRawTags: boolean;
  /** The number of tags, which tells how long the block takes to draw. */
  readonly tags: number;
}

/** Longer inline text is shown as plain text, because matching emphasis takes more than linear time. */
const INLINE_LIMIT = 10_000;
/** The same for long runs of a delimiter and for deeply nested containers. */
const LONG_DELIMITER_RUN = /([_*~`[\]<!])\1{199}/;
const DEEP_NESTING = /^(?:[ \t]{0,4}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){24}/m;
/** The browser takes quadratic time to break such a word into lines. */
const LONG_WORD = /[^\s\0-\u024F]{1000}/;
/** Elements inside each other take quadratic time to lay out. */
const MAX_OPEN_TAGS = 30;
/** A block with more is shown as plain text, because it can only be drawn in one go. */
const MAX_TAGS = 1_500;

/** The title of the page is its only level 1 heading; headings in messages start at level 2. */
const HEADING_LEVELS = [2, 2, 3, 4, 5, 6] as const;

let insideLink = false;
let hasRawTags = false;
let hasLongText = false;
/** Tags from the text that are open, by name. */
let openTags = new Map<string, number>();

const marked = new Marked({
  gfm: true,
  renderer: {
    html(token) {
      if (!token.block || isPlainHtml(token.text)) {
        hasRawTags = true;
        countOpenTags(token.text, openTags);
        return escapeRawHtml(token.text);
      }
      return codeHtml(token.text.trimEnd(), 'html');
    },
    code(token) {
      return codeHtml(token.text, /^\S*/.exec(token.lang ?? '')?.[0] ?? '');
    },
    heading(token) {
      const level = HEADING_LEVELS[token.depth - 1] ?? 6;
      return `<h${level}>${this.parser.parseInline(token.tokens)}</h${level}>\n`;
    },
    listitem(item) {
      return `<li${item.task ? ' class="task"' : ''}>${this.parser.parse(item.tokens)}</li>\n`;
    },
    checkbox({ checked }) {
      return checked ? '<span class="task-done">\u2611</span> ' : '<span class="task-open">\u2610</span> ';
    },
    link(token) {
      const outer = insideLink;
      insideLink = true;
      const text = token.autolink ? escapeHtml(token.text) : this.parser.parseInline(token.tokens);
      insideLink = outer;
      return anchorHtml(token, text);
    },
    /** Images are shown as links, so that nothing is fetched. */
    image(token) {
      const text = this.parser.parseInline(token.tokens, this.parser.textRenderer) || 'image';
      return insideLink ? escapeText(text) : anchorHtml(token, escapeText(text));
    },
    text(token) {
      if (token.text.length > INLINE_LIMIT || LONG_WORD.test(token.text)) hasLongText = true;
      return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text);
    },
  },
});

/** Escapes everything that could be markup, except character references. */
function escapeText(text: string): string {
  return text.replace(/[<>"']|&(?!#\d{1,7};|#[xX][\da-fA-F]{1,6};|\w+;)/g, escapeHtml);
}

function anchorHtml({ href, title }: Tokens.Link | Tokens.Image, text: string): string {
  const titleAttribute = title ? ` title="${escapeText(title)}"` : '';
  return `<a href="${escapeText(href)}"${titleAttribute}>${text}</a>`;
}

function codeHtml(text: string, language: string): string {
  const name = language === '' ? '' : ` class="language-${escapeHtml(language)}"`;
  return `<pre><code${name}>${escapeHtml(text.replace(/\n$/, ''))}</code></pre>`;
}

export interface ParsedBlocks {
  readonly blocks: readonly Block[];
  /** The given links and the ones found in the source. */
  readonly links: Links;
}

/**
 * Splits Markdown (with LF line ends) into top-level blocks and renders each separately, so that an unclosed element in
 * one block cannot affect the next. `links` are the definitions from the preceding source. Never throws.
 */
export function parseBlocks(source: string, links: Links = {}): ParsedBlocks {
  try {
    if (DEEP_NESTING.test(source)) return { blocks: [plainBlock(source)], links };
    const tokens = lex(source, links);
    return { blocks: toBlocks(tokens), links: tokens.links };
  } catch {
    // The nesting exceeds the parser's stack.
    return { blocks: [plainBlock(source)], links };
  }
}

function lex(source: string, links: Links): TokensList {
  const lexer = new marked.Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  lexer.blockTokens(source, lexer.tokens);
  // Same as the lexer's own loop over this queue, but with limits.
  for (const { src, tokens } of lexer.inlineQueue) {
    lexer.state.inRawBlock = false;
    if (src.length > INLINE_LIMIT || LONG_DELIMITER_RUN.test(src)) tokens.push({ type: 'text', raw: src, text: src });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

function toBlocks(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  let start = 0;
  for (const token of tokens) {
    blocks.push(isHugeTable(token) ? plainBlock(token.raw, start) : toBlock(token, start));
    start += token.raw.length;
  }
  return blocks;
}

function toBlock(token: Token, start: number): Block {
  hasRawTags = false;
  hasLongText = false;
  openTags = new Map();
  const html = marked.Parser.parse([token], marked.defaults).trimEnd();
  const tags = countTags(html);
  const open = [...openTags.values()].reduce((sum, count) => sum + count, 0);
  if (hasLongText || open > MAX_OPEN_TAGS || tags > MAX_TAGS) return plainBlock(token.raw, start);
  return { type: token.type, start, raw: token.raw, html, hasRawTags, tags };
}

function isHugeTable(token: Token): boolean {
  if (token.type !== 'table') return false;
  const { header, rows } = token as Tokens.Table;
  return header.length * rows.length > MAX_TAGS;
}

function countTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count += 1;
  return count;
}

function plainBlock(source: string, start = 0): Block {
  return { type: 'plain', start, raw: source, html: source, isPlain: true, hasRawTags: false, tags: 8 };
}
