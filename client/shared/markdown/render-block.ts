import { h } from '../dom.ts';
import { escapeInvisibleIn } from '../escape-invisible.ts';
import { setCode } from './code-text.ts';
import type { Block } from './parse-blocks.ts';
import { createPlainText } from './plain-text.ts';
import { sanitize } from './sanitize.ts';

type Renderable = Pick<Block, 'html' | 'isPlain' | 'hasRawTags'>;

/**
 * Renders each block into a wrapper element. Blocks without tags from the text are sanitized together, which is several
 * times faster; blocks with such tags are sanitized separately.
 */
export function renderBlocks(blocks: readonly Renderable[]): HTMLElement[] {
  const together = blocks.length > 1 ? renderTogether(blocks.filter((block) => !isSeparate(block))) : [];
  return blocks.map((block) => {
    if (block.isPlain) return renderPlain(block.html);
    return (isSeparate(block) ? undefined : together.shift()) ?? finish(sanitize(block.html));
  });
}

const isSeparate = ({ isPlain, hasRawTags }: Renderable): boolean => isPlain === true || hasRawTags;

function renderPlain(text: string): HTMLElement {
  const block = h('div', { class: 'block' });
  createPlainText(block).show({ text: text.replace(/\n+$/, ''), note: 'Plain text' });
  return block;
}

function renderTogether(blocks: readonly Renderable[]): HTMLElement[] {
  const all = sanitize(blocks.map(({ html }) => `<div>${html}</div>`).join(''));
  const wrappers = [...all.children];
  // If a block broke out of its wrapper, render each one separately.
  return wrappers.length === blocks.length ? wrappers.map(finish) : [];
}

function finish(contents: DocumentFragment | Element): HTMLElement {
  const block = h('div', { class: 'block' });
  block.append(...contents.childNodes);
  escapeInvisibleIn(block);
  for (const pre of block.querySelectorAll('pre')) frameCode(pre);
  for (const table of block.querySelectorAll('table')) frameTable(table);
  return block;
}

/** Adds the language and a copy button above the code. Clicks are handled by `enableCopyButtons`. */
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
