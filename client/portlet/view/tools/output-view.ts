import { h } from '../../../shared/dom.ts';
import { parseAnsi } from './ansi.ts';

const MAX_LINES = 20;
const TAIL_LINES = 5;

export interface OutputOptions {
  /** Which end of a long output is shown initially: the outcome of a command is at its end. */
  readonly end: 'first' | 'last';
}

/** The output of a tool, with ANSI colours. A long output shows 20 lines and a button for the rest. */
export function drawOutput(output: string, { end }: OutputOptions): HTMLElement {
  const lines = output.replace(/\n+$/, '').split('\n');
  const pre = h('pre', { class: 'output', tabindex: '0' });
  const hidden = lines.length - MAX_LINES;
  if (hidden <= 2) {
    fill(pre, lines.join('\n'));
    return h('div', { class: 'output-frame' }, pre);
  }
  fill(pre, (end === 'last' ? lines.slice(-MAX_LINES) : lines.slice(0, MAX_LINES)).join('\n'));
  const button = h('button', { type: 'button', class: 'quiet more' }, `Show all ${lines.length} lines`);
  button.addEventListener('click', () => {
    fill(pre, lines.join('\n'));
    button.remove();
    pre.focus({ preventScroll: true });
  });
  return h('div', { class: 'output-frame' }, ...(end === 'last' ? [button, pre] : [pre, button]));
}

/** The last lines of an output that still grows. */
export function fillTail(element: HTMLElement, output: string): void {
  const lines = output.trimEnd().split('\n').slice(-TAIL_LINES);
  const first = lines.findIndex((line) => line.trim() !== '');
  fill(element, lines.slice(first).join('\n'));
}

function fill(pre: HTMLElement, text: string): void {
  pre.replaceChildren(
    ...parseAnsi(text).map(({ text: piece, classes }) =>
      classes === '' ? piece : h('span', { class: classes }, piece),
    ),
  );
}
