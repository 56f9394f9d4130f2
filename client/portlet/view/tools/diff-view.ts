import type { Diff } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import { escapeInvisibleInLine } from '../../../shared/escape-invisible.ts';
import { type DiffLine, type DiffPart, diffLines, foldLines } from './diff-lines.ts';
import { shorten } from './tool-summary.ts';

/** Lines drawn initially; a button shows the rest. */
const MAX_LINES = 300;
const SIGNS = { same: ' ', added: '+', removed: '\u2212' } as const;

/** The change of one file: path, counts and lines. */
export function drawDiff({ path, oldText, newText }: Diff, projectPath: string): HTMLElement {
  const { lines, isExact } = diffLines(oldText, newText);
  const count = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  const body = h('div', { class: 'diff-lines', tabindex: '0', role: 'group', 'aria-label': `Changes in ${path}` });
  fill(body, foldLines(lines), MAX_LINES);
  return h(
    'div',
    { class: 'diff' },
    h(
      'div',
      { class: 'diff-bar' },
      h('span', { class: 'diff-path' }, shorten(path, projectPath)),
      oldText === null && h('span', { class: 'diff-note' }, 'new file'),
      !isExact && h('span', { class: 'diff-note' }, 'too many moved lines to compare, at most'),
      h('span', { class: 'diff-count added' }, `+${count('added')}`),
      h('span', { class: 'diff-count removed' }, `${SIGNS.removed}${count('removed')}`),
    ),
    body,
  );
}

function fill(body: HTMLElement, parts: readonly DiffPart[], budget: number): void {
  let left = budget;
  for (const [index, part] of parts.entries()) {
    if (part.isFolded) {
      body.append(drawFold(part.lines));
      continue;
    }
    body.append(...part.lines.slice(0, left).map(drawLine));
    left -= part.lines.length;
    if (left >= 0) continue;
    const rest = [{ lines: part.lines.slice(left), isFolded: false }, ...parts.slice(index + 1)];
    body.append(drawMore(body, rest));
    return;
  }
}

function drawMore(body: HTMLElement, rest: readonly DiffPart[]): HTMLElement {
  const count = rest.reduce((sum, { lines }) => sum + lines.length, 0);
  const button = h('button', { type: 'button', class: 'quiet diff-fold' }, `Show ${count} more lines`);
  button.addEventListener('click', () => {
    button.remove();
    fill(body, rest, Number.POSITIVE_INFINITY);
  });
  return button;
}

function drawFold(lines: readonly DiffLine[]): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet diff-fold' }, `${lines.length} unchanged lines`);
  button.addEventListener('click', () => button.replaceWith(...lines.map(drawLine)));
  return button;
}

function drawLine({ kind, text, oldNumber, newNumber }: DiffLine): HTMLElement {
  return h(
    'div',
    { class: `diff-line ${kind}` },
    h('span', { class: 'diff-number' }, String(oldNumber ?? '')),
    h('span', { class: 'diff-number' }, String(newNumber ?? '')),
    h('span', { class: 'diff-sign' }, SIGNS[kind]),
    h('span', { class: 'diff-text' }, escapeInvisibleInLine(text)),
  );
}
