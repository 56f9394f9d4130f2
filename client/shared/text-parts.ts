/** A piece of a long text. Pieces are drawn as boxes of their own, so that the browser lays out only those in view. */
export interface TextPart {
  readonly text: string;
  /** The part goes on in the middle of a line; otherwise a line feed lies between it and the part before. */
  readonly isContinued: boolean;
}

const PART_LINES = 200;
const PART_LENGTH = 4_000;
/** Laying out a long word takes time that grows with the square of its length, in other scripts than Latin. */
const COMPLEX_PART_LENGTH = 1_000;
const COMPLEX = /[^\0-\u024F\u2000-\u206F]/;
/** A word of emoji takes the longest, because each of them may be joined to the next. */
const EMOJI_PART_LENGTH = 300;
const LONG_EMOJI = /[\uD800-\uDFFF]{300}/;

/** Splits at line ends where possible, and lines that are too long after a space where possible. */
export function splitText(text: string): TextPart[] {
  const longest = longestPart(text);
  const parts: TextPart[] = [];
  let isContinued = false;
  for (let start = 0; start <= text.length; ) {
    const { end, next } = endOfPart(text, start, longest);
    parts.push({ text: text.slice(start, end), isContinued });
    isContinued = next === end;
    if (isContinued && end === text.length) break;
    start = next;
  }
  return parts;
}

/** The longest part that `text` is split into. */
export function longestPart(text: string): number {
  if (!COMPLEX.test(text)) return PART_LENGTH;
  return LONG_EMOJI.test(text) ? EMOJI_PART_LENGTH : COMPLEX_PART_LENGTH;
}

/** Whether `text` is one part: quick to lay out as it is. */
export function isOnePart(text: string): boolean {
  return text.length <= EMOJI_PART_LENGTH || splitText(text).length === 1;
}

function endOfPart(text: string, start: number, longest: number): { readonly end: number; readonly next: number } {
  let lineStart = start;
  for (let lines = 0; lines < PART_LINES; lines += 1) {
    // Searching in the whole text would take quadratic time.
    const feed = text.slice(lineStart, start + longest + 1).indexOf('\n');
    const lineEnd = feed === -1 ? text.length : lineStart + feed;
    if (lineEnd - start > longest) {
      // The part ends before this line, unless it is the only one.
      if (lines > 0) return { end: lineStart - 1, next: lineStart };
      const end = cutLine(text, start, longest);
      return { end, next: end };
    }
    if (feed === -1) return { end: text.length, next: text.length + 1 };
    lineStart = lineEnd + 1;
  }
  return { end: lineStart - 1, next: lineStart };
}

/** Cuts after a space in the last quarter of the part, or else anywhere except inside a pair of surrogates. */
function cutLine(text: string, start: number, longest: number): number {
  const end = start + longest;
  const quarter = end - longest / 4;
  const space = text.slice(quarter, end).lastIndexOf(' ');
  if (space !== -1) return quarter + space + 1;
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
