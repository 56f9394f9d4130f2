import { h } from '../dom.ts';
import { sanitize } from './sanitize.ts';
import { showInvisibleIn } from './visible-characters.ts';

/** One block's elements, ready to be put into the page. */
export function renderBlock(html: string): DocumentFragment {
  const fragment = sanitize(html);
  showInvisibleIn(fragment);
  for (const pre of fragment.querySelectorAll('pre')) frameCode(pre);
  for (const table of fragment.querySelectorAll('table')) frameTable(table);
  return fragment;
}

/** Language and copy button above the code. The button is found by its class when it is clicked. */
function frameCode(pre: HTMLPreElement): void {
  const code = pre.querySelector('code');
  const language = /language-(\S+)/.exec(code?.className ?? '')?.[1] ?? '';
  const frame = h(
    'div',
    { class: 'code' },
    h(
      'div',
      { class: 'code-bar' },
      h('span', { class: 'code-language' }, language),
      h('button', { type: 'button', class: 'quiet copy', 'aria-label': 'Copy code' }, 'Copy'),
    ),
  );
  pre.replaceWith(frame);
  pre.tabIndex = 0;
  frame.append(pre);
}

function frameTable(table: HTMLTableElement): void {
  const frame = h('div', { class: 'table', tabindex: '0', role: 'group', 'aria-label': 'Table' });
  table.replaceWith(frame);
  frame.append(table);
}
