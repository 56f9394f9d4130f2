/**
 * Estimates what parsing and drawing a text costs, in one pass and never too low by much. The parser takes exponential
 * time for nested quotes, quadratic time for marks in a paragraph, and time for each cell of a table whether it is
 * written down or not.
 */
export function isCheap(source: string): boolean {
  return source.length <= MAX_LENGTH && !LONG_WORD.test(source) && costOf(source) < MAX_COST;
}

const MAX_LENGTH = 30_000;
const MAX_COST = 100_000;
const MAX_PARAGRAPH = 9_000;
const LONG_WORD = /[^\s\0-\u024F]{500}/;

/** Characters at which the parser looks for inline markup. */
const MARKS = /[*_~`[\]<>!&\\@:]|www/g;
/** An indented fence ends with the list item that it is in, so its contents count as text. */
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const FIRST_ITEM = /^[ \t]*(?:[-*+]|1[.)])[ \t]/;
/** After such a line, something that looks like a fence may not be one. */
const MAY_HIDE_FENCE = /^[ \t]*(?:<[a-z!/?]|\[)/i;
const CONTAINERS = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+[ \t]*/;

function costOf(source: string): number {
  let total = 0;
  let fence: string | undefined;
  let trustsFences = true;
  let paragraph = { length: 0, marks: 0, lines: 0, columns: 0 };
  let wasItem = true;
  const endParagraph = (): void => {
    total += costOfParagraph(paragraph);
    paragraph = { length: 0, marks: 0, lines: 0, columns: 0 };
  };

  for (let start = 0; start < source.length && total < MAX_COST; ) {
    const feed = source.indexOf('\n', start);
    const end = feed === -1 ? source.length : feed;
    const line = source.slice(start, end);
    start = end + 1;
    total += costOfLine(line);
    if (fence !== undefined) {
      if (isFenceEnd(line, fence)) fence = undefined;
      continue;
    }
    const opened = trustsFences ? FENCE.exec(line)?.[1] : undefined;
    if (opened !== undefined) {
      endParagraph();
      fence = opened;
      continue;
    }
    trustsFences &&= !MAY_HIDE_FENCE.test(line);
    const isItem: boolean = ITEM.test(line) && (wasItem || FIRST_ITEM.test(line));
    if (line.trim() === '' || isItem) endParagraph();
    wasItem = isItem || line.trim() === '';
    paragraph.length += line.length + 1;
    paragraph.lines += 1;
    paragraph.marks += line.match(MARKS)?.length ?? 0;
    paragraph.columns = Math.max(paragraph.columns, line.split('|').length - 1);
  }
  endParagraph();
  return total;
}

/** A line is parsed again for every container that it is in, and twice for every quote. */
function costOfLine(line: string): number {
  const containers = CONTAINERS.exec(line)?.[0] ?? '';
  const quotes = containers.split('>').length - 1;
  const indent = (containers.length || line.search(/\S|$/)) - quotes;
  return (line.length + 20) * 2 ** Math.min(quotes, 30) * (1 + indent / 4);
}

interface Paragraph {
  readonly length: number;
  readonly marks: number;
  readonly lines: number;
  readonly columns: number;
}

function costOfParagraph({ length, marks, lines, columns }: Paragraph): number {
  // Shown as plain text.
  if (length > MAX_PARAGRAPH) return MAX_COST;
  return (length * marks) / 40 + marks * 20 + lines * columns * 15;
}

function isFenceEnd(line: string, fence: string): boolean {
  const closing = line.replace(/^ {0,3}/, '');
  return closing.startsWith(fence) && /^[~`]* *$/.test(closing);
}
