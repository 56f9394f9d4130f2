import { h } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import { isOnePart, splitText } from '../../../shared/text-parts.ts';

/** Longer texts show their beginning and a button. */
const MAX_LENGTH = 2_000;
const MAX_LINE = 1_000;

/** A text exactly as it is. A long one is cut off until its button is clicked. */
export function drawClipped(text: string): Node[] {
  if (text.length <= MAX_LENGTH) return drawText(escapeInvisible(text));
  return [...drawText(escapeInvisible(text.slice(0, MAX_LENGTH))), drawMore(text, MAX_LENGTH, escapeInvisible)];
}

/** The same for one line of many. */
export function cutLine(text: string, toVisible: (text: string) => string): Node[] {
  if (text.length <= MAX_LINE) return [new Text(toVisible(text))];
  return [...drawText(toVisible(text.slice(0, MAX_LINE))), drawMore(text, MAX_LINE, toVisible)];
}

/** Puts the parts of a long text into boxes of their own. `text` is escaped already. */
export function drawText(text: string): Node[] {
  if (isOnePart(text)) return [new Text(text)];
  return splitText(text).map((part) => h('span', { class: 'text-part' }, part.text));
}

function drawMore(text: string, shown: number, toVisible: (text: string) => string): HTMLElement {
  const left = text.length - shown;
  const button = h(
    'button',
    { type: 'button', class: 'quiet more', 'aria-label': `Show ${left} more characters` },
    `\u2026 ${left} more characters`,
  );
  button.addEventListener('click', () => button.replaceWith(...drawText(toVisible(text.slice(shown)))));
  return button;
}
