import { h } from '../dom.ts';
import { setCode } from './code-text.ts';
import type { Block } from './parse-blocks.ts';
import { sanitize } from './sanitize.ts';
import { showInvisibleIn } from '../escape-invisible.ts';

type Renderable = Pick<Block, 'html' | 'hasRawTags'>;

/**
 * The elements of each block inside a wrapper, ready to be put into the page. Blocks of our own making go through the
 * sanitizer together, which is several times quicker; one with tags of the author's is kept away from the others.
 */
export function renderBlocks(blocks: readonly Renderable[]): HTMLElement[] {
  const together = blocks.length > 1 ? renderTogether(blocks.filter(({ hasRawTags }) => !hasRawTags)) : [];
  return blocks.map((block) => (block.hasRawTags ? undefined : together.shift()) ?? finish(sanitize(block.html)));
}

function renderTogether(blocks: readonly Renderable[]): HTMLElement[] {
  const all = sanitize(blocks.map(({ html }) => `<div>${html}</div>`).join(''));
  const wrappers = [...all.children];
  // Should one ever reach out of its wrapper, each is rendered by itself.
  return wrappers.length === blocks.length ? wrappers.map(finish) : [];
}

function finish(contents: DocumentFragment | Element): HTMLElement {
  const block = h('div', { class: 'block' });
  block.append(...contents.childNodes);
  showInvisibleIn(block);
  for (const pre of block.querySelectorAll('pre')) frameCode(pre);
  for (const table of block.querySelectorAll('table')) frameTable(table);
  return block;
}

/** Language and copy button above the code. The button is found by its class when it is clicked. */
function frameCode(pre: HTMLPreElement): void {
  const code = pre.querySelector('code');
  if (code !== null) setCode(code, code.textContent);
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
