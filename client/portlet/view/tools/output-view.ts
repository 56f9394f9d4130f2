import { h } from '../../../shared/dom.ts';
import type { Schedule } from '../../../shared/markdown/text-work.ts';
import { splitText } from '../../../shared/text-parts.ts';
import { parseAnsi } from './ansi.ts';

const MAX_LINES = 20;
const TAIL_LINES = 5;
/** Characters shown initially, and in the tail of an output that grows. */
const MAX_LENGTH = 6_000;
const TAIL_LENGTH = 2_000;
/** Elements for styles in one output. */
const MAX_STYLED = 20_000;
const PARTS_AT_ONCE = 4;

export interface OutputOptions {
  /** Which end of a long output is shown initially: the outcome of a command is at its end. */
  readonly end: 'first' | 'last';
  /** Draws a very long output over several frames. */
  readonly schedule?: Schedule | undefined;
}

/** The output of a tool, with ANSI colours. A long output shows 20 lines and a button for the rest. */
export function drawOutput(output: string, { end, schedule = (task) => task() }: OutputOptions): HTMLElement {
  const text = withoutLastFeeds(output);
  const pre = h('pre', { class: 'output', tabindex: '0' });
  const lineCount = countLines(text);
  const shown = end === 'last' ? endOf(text, MAX_LINES, MAX_LENGTH) : beginningOf(text, MAX_LINES, MAX_LENGTH);
  if (lineCount <= MAX_LINES + 2 && text.length <= MAX_LENGTH) {
    fillParts(pre, text, schedule);
    return h('div', { class: 'output-frame' }, pre);
  }
  fillParts(pre, shown, schedule);
  const amount = lineCount > MAX_LINES ? `${lineCount} lines` : `${text.length} characters`;
  const button = h('button', { type: 'button', class: 'quiet more' }, `Show all ${amount}`);
  button.addEventListener('click', () => {
    fillParts(pre, text, schedule);
    button.remove();
    pre.focus({ preventScroll: true });
  });
  return h('div', { class: 'output-frame' }, ...(end === 'last' ? [button, pre] : [pre, button]));
}

/** The last lines of an output that still grows. */
export function fillTail(element: HTMLElement, output: string): void {
  const lines = endOf(output.trimEnd(), TAIL_LINES, TAIL_LENGTH).split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  fill(element, lines.slice(first).join('\n'));
}

/** Draws each part of a long text into a box of its own. */
function fillParts(pre: HTMLElement, text: string, schedule: Schedule): void {
  const parts = splitText(text);
  if (parts.length === 1) {
    fill(pre, text);
    return;
  }
  pre.replaceChildren();
  pre.classList.toggle('has-parts', parts.length > PARTS_AT_ONCE);
  let styled = 0;
  const drawFrom = (start: number): void => {
    const end = start + PARTS_AT_ONCE;
    for (const { text: piece } of parts.slice(start, end)) {
      const box = h('span', { class: 'output-part' });
      if (styled < MAX_STYLED) styled += fill(box, piece);
      else box.append(...parseAnsi(piece).map((run) => run.text));
      pre.append(box);
    }
    if (end < parts.length) schedule(() => drawFrom(end));
  };
  drawFrom(0);
}

/** Returns the number of elements. */
function fill(pre: HTMLElement, text: string): number {
  const runs = parseAnsi(text);
  pre.replaceChildren(
    ...runs.map(({ text: piece, classes }) => (classes === '' ? piece : h('span', { class: classes }, piece))),
  );
  return runs.length;
}

function withoutLastFeeds(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '\n') end -= 1;
  return text.slice(0, end);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function beginningOf(text: string, lines: number, length: number): string {
  return text.slice(0, length).split('\n', lines).join('\n');
}

function endOf(text: string, lines: number, length: number): string {
  return text.slice(-length).split('\n').slice(-lines).join('\n');
}
