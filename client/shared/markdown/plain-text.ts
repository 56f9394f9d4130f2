import { h, setText } from '../dom.ts';
import { setCode } from './code-text.ts';

export interface PlainTextValue {
  readonly text: string;
  /** More text comes: its end is shown, not its beginning. */
  readonly isGrowing?: boolean;
  /** Why the text is not formatted. */
  readonly note?: string;
  /** Formats the text in spite of that. */
  readonly onFormat?: (() => void) | undefined;
}

/** Text that is shown as it was written, with a note and a button to format it. Long text shows its beginning first. */
export interface PlainText {
  readonly element: HTMLElement;
  show(value: PlainTextValue): void;
  /** Removes it from the page. */
  hide(): void;
}

const FIRST_LENGTH = 4_000;
const FIRST_LINES = 40;

/** It is the last child of `parent` while there is something to show. */
export function createPlainText(parent: HTMLElement): PlainText {
  const note = h('span', { class: 'code-language' });
  const format = h('button', { type: 'button', class: 'quiet format' }, 'Show formatted');
  const copy = h('button', { type: 'button', class: 'quiet copy', 'aria-label': 'Copy text' }, 'Copy');
  const code = h('code');
  const more = h('button', { type: 'button', class: 'quiet more' }, 'Show all');
  const element = h(
    'div',
    { class: 'code plain-text', hidden: true },
    h('div', { class: 'code-bar' }, note, h('span', { class: 'code-actions' }, format, copy)),
    h('pre', { tabindex: '0' }, code),
    more,
  );
  let shown: PlainTextValue = { text: '' };
  let showsAll = false;

  function draw(): void {
    const { text, isGrowing = false } = shown;
    const first = isGrowing || showsAll ? text : beginningOf(text);
    more.hidden = first.length === text.length;
    setCode(code, first, text);
    setText(note, shown.note ?? '');
    format.hidden = shown.onFormat === undefined;
  }

  format.addEventListener('click', () => shown.onFormat?.());
  more.addEventListener('click', () => {
    showsAll = true;
    draw();
  });
  return {
    element,
    show(value) {
      if (value.text !== shown.text && value.isGrowing !== true) showsAll = false;
      shown = value;
      element.hidden = false;
      if (element.parentNode !== parent) parent.append(element);
      draw();
    },
    hide() {
      element.hidden = true;
      element.remove();
      showsAll = false;
      shown = { text: '' };
      code.replaceChildren();
    },
  };
}

function beginningOf(text: string): string {
  const lines = text.slice(0, FIRST_LENGTH).split('\n');
  const first = lines.slice(0, FIRST_LINES).join('\n');
  // A few more lines are not worth a button.
  return text.length - first.length < 200 ? text : first;
}
