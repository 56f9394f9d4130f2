import type { Diff } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import { escapeInvisible, escapeInvisibleInLine } from '../../../shared/escape-invisible.ts';
import { cutLine } from '../text/clipped-text.ts';
import type { Drawing } from '../text/drawing.ts';
import {
  type DiffLine,
  type DiffPart,
  diffLines,
  foldLines,
  isQuickDiff,
  type LineDiff,
  toLineDiff,
} from './diff-lines.ts';
import { shorten } from './tool-summary.ts';

/** Lines drawn initially, and with each click on the button for more. */
const FIRST_LINES = 300;
const MORE_LINES = 700;
/** Lines drawn at once. */
const SLICE_LINES = 150;
const MAX_PATH = 400;
const SIGNS = { same: ' ', added: '+', removed: '\u2212' } as const;

/** The change of one file: path, counts and lines. A long comparison is made in the background. */
export function drawDiff(diff: Diff, projectPath: string, drawing: Drawing): HTMLElement {
  const { path, oldText, newText } = diff;
  const notes = h('span', { class: 'diff-notes' });
  const label = escapeInvisible(path.slice(0, MAX_PATH));
  const body = h('div', { class: 'diff-lines', tabindex: '0', role: 'group', 'aria-label': `Changes in ${label}` });
  const show = (result: LineDiff): void => {
    notes.replaceChildren(...drawNotes(diff, result));
    body.replaceChildren();
    fill(body, foldLines(result.lines), FIRST_LINES, drawing);
  };
  if (drawing.work === undefined || isQuickDiff(diff)) show(diffLines(oldText, newText));
  else {
    notes.append(h('span', { class: 'diff-note' }, 'comparing\u2026'));
    void drawing.work.compare({ oldText, newText }).then((changes) => {
      show(changes === undefined ? diffLines(oldText, newText, 0) : toLineDiff(diff, changes));
    });
  }
  const shown = escapeInvisible(shorten(path, projectPath).slice(0, MAX_PATH));
  return h(
    'div',
    { class: 'diff' },
    h('div', { class: 'diff-bar' }, h('span', { class: 'diff-path' }, shown), notes),
    body,
  );
}

function drawNotes({ oldText }: Diff, { lines, isExact }: LineDiff): HTMLElement[] {
  const count = (kind: DiffLine['kind']): number => lines.reduce((sum, line) => sum + (line.kind === kind ? 1 : 0), 0);
  return [
    ...(oldText === null ? [h('span', { class: 'diff-note' }, 'new file')] : []),
    ...(isExact ? [] : [h('span', { class: 'diff-note' }, 'too many moved lines to compare, at most')]),
    h('span', { class: 'diff-count added' }, `+${count('added')}`),
    h('span', { class: 'diff-count removed' }, `${SIGNS.removed}${count('removed')}`),
  ];
}

/** Draws up to `budget` lines at the end of the body, and a button for the rest. */
function fill(body: HTMLElement, parts: readonly DiffPart[], budget: number, drawing: Drawing): void {
  let left = budget;
  for (const [index, part] of parts.entries()) {
    if (part.isFolded) {
      body.append(drawFold(part.lines, drawing));
      continue;
    }
    appendLines(body, part.lines.slice(0, left), drawing);
    left -= part.lines.length;
    if (left >= 0) continue;
    const rest = [{ lines: part.lines.slice(left), isFolded: false }, ...parts.slice(index + 1)];
    body.append(drawMore(body, rest, drawing));
    return;
  }
}

function drawMore(body: HTMLElement, rest: readonly DiffPart[], drawing: Drawing): HTMLElement {
  const count = rest.reduce((sum, { lines }) => sum + lines.length, 0);
  const label = count > MORE_LINES ? `Show ${MORE_LINES} of ${count} more lines` : `Show ${count} more lines`;
  const button = h('button', { type: 'button', class: 'quiet diff-fold' }, label);
  button.addEventListener('click', () => {
    button.remove();
    fill(body, rest, MORE_LINES, drawing);
  });
  return button;
}

/** Draws lines into a place of their own, over several frames if there are many. */
function appendLines(body: HTMLElement, lines: readonly DiffLine[], { schedule }: Drawing): void {
  body.append(...lines.slice(0, SLICE_LINES).map(drawLine));
  if (lines.length <= SLICE_LINES) return;
  const place = document.createComment('');
  body.append(place);
  const drawFrom = (start: number): void => {
    const end = start + SLICE_LINES;
    place.before(...lines.slice(start, end).map(drawLine));
    if (end < lines.length) schedule(() => drawFrom(end));
    else place.remove();
  };
  schedule(() => drawFrom(SLICE_LINES));
}

function drawFold(lines: readonly DiffLine[], drawing: Drawing): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet diff-fold' }, `${lines.length} unchanged lines`);
  button.addEventListener('click', () => {
    const unfolded = h('div');
    fill(unfolded, [{ lines, isFolded: false }], MORE_LINES, drawing);
    button.replaceWith(unfolded);
  });
  return button;
}

function drawLine({ kind, text, oldNumber, newNumber }: DiffLine): HTMLElement {
  return h(
    'div',
    { class: `diff-line ${kind}` },
    h('span', { class: 'diff-number' }, String(oldNumber ?? '')),
    h('span', { class: 'diff-number' }, String(newNumber ?? '')),
    h('span', { class: 'diff-sign' }, SIGNS[kind]),
    h('span', { class: 'diff-text' }, ...cutLine(text, escapeInvisibleInLine)),
  );
}
