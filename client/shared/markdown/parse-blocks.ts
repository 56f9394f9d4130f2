import { Marked, type Token, type Tokens, type TokensList } from 'marked';
import { escapeHtml, isPlainHtml, readRawHtml } from './raw-html.ts';

/** Known reference links: label to destination. */
export type Links = TokensList['links'];

export interface Block {
  readonly type: string;
  /** Where its source starts, counted from the start of the source that was parsed. */
  readonly start: number;
  readonly raw: string;
  /** Not yet sanitized. */
  readonly html: string;
  /** Tags that stood in the text are in the HTML: it may leave elements open. */
  readonly hasRawTags: boolean;
}

/** An inline text longer than this is shown as it is: emphasis matching costs more than linear time. */
const INLINE_LIMIT = 10_000;
/** The same for runs of one delimiter and for containers in containers, which nobody writes for a reader. */
const LONG_DELIMITER_RUN = /([_*~`[\]<!])\1{199}/;
const DEEP_NESTING = /^(?:[ \t]{0,4}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){40}/m;

/** The page has one heading of the first level, its title; those of a message come below it. */
const HEADING_LEVELS = [2, 2, 3, 4, 5, 6] as const;

let insideLink = false;
let hasRawTags = false;

const marked = new Marked({
  gfm: true,
  renderer: {
    html(token) {
      if (!token.block || isPlainHtml(token.text)) {
        hasRawTags = true;
        return readRawHtml(token.text);
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
    /** Nothing is fetched: an image is a link to itself. */
    image(token) {
      const text = this.parser.parseInline(token.tokens, this.parser.textRenderer) || 'image';
      return insideLink ? escapeText(text) : anchorHtml(token, escapeText(text));
    },
    text(token) {
      return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text);
    },
  },
});

/** Character references in the text stay what they are; everything that could be markup is escaped. */
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
  /** The links given and those found. */
  readonly links: Links;
}

/**
 * Splits Markdown (line feeds only) into top-level blocks and renders each by itself, so that what is open in one
 * block never reaches into the next. `links` are the reference links known from the source before. Never throws.
 */
export function parseBlocks(source: string, links: Links = {}): ParsedBlocks {
  try {
    if (DEEP_NESTING.test(source)) return { blocks: [plainBlock(source)], links };
    const tokens = lex(source, links);
    return { blocks: toBlocks(tokens), links: tokens.links };
  } catch {
    // Nesting deeper than the parser's stack.
    return { blocks: [plainBlock(source)], links };
  }
}

function lex(source: string, links: Links): TokensList {
  const lexer = new marked.Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  lexer.blockTokens(source, lexer.tokens);
  // The lexer's own loop over this queue, with a limit on what it may cost.
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
    hasRawTags = false;
    const html = marked.Parser.parse([token], marked.defaults).trimEnd();
    blocks.push({ type: token.type, start, raw: token.raw, html, hasRawTags });
    start += token.raw.length;
  }
  return blocks;
}

function plainBlock(source: string): Block {
  return { type: 'plain', start: 0, raw: source, html: codeHtml(source, ''), hasRawTags: false };
}
