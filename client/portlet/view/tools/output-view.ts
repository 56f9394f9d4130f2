import { h } from '../../../shared/dom.ts';
import { parseAnsi } from './ansi.ts';

const FIRST_SHOWN = 20;

export interface OutputOptions {
  /** Which end of a long output is shown at first: a command tells its outcome last. */
  readonly end: 'first' | 'last';
}

/** What a tool printed, in colours; of a long one 20 lines, until all is asked for. */
export function drawOutput(output: string, { end }: OutputOptions): HTMLElement {
  const lines = output.replace(/\n+$/, '').split('\n');
  const pre = h('pre', { class: 'output', tabindex: '0' });
  const hidden = lines.length - FIRST_SHOWN;
  if (hidden <= 2) {
    fill(pre, lines.join('\n'));
    return h('div', { class: 'output-frame' }, pre);
  }
  fill(pre, (end === 'last' ? lines.slice(-FIRST_SHOWN) : lines.slice(0, FIRST_SHOWN)).join('\n'));
  const button = h('button', { type: 'button', class: 'quiet more' }, `Show all ${lines.length} lines`);
  button.addEventListener('click', () => {
    fill(pre, lines.join('\n'));
    button.remove();
    pre.focus({ preventScroll: true });
  });
  return h('div', { class: 'output-frame' }, ...(end === 'last' ? [button, pre] : [pre, button]));
}

function fill(pre: HTMLElement, text: string): void {
  pre.replaceChildren(
    ...parseAnsi(text).map(({ text: piece, classes }) =>
      classes === '' ? piece : h('span', { class: classes }, piece),
    ),
  );
}
