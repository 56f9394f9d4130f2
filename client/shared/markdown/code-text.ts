import { h } from '../dom.ts';
import { growText } from './morph.ts';

/**
 * Lines per part of a long code block. Each part is its own box, so that the browser lays out one part and not
 * thousands of lines when a line is appended.
 */
const PART_LINES = 200;

/** Sets the text of a `<code>` element, changing only what differs. */
export function setCode(code: HTMLElement, text: string): void {
  const parts = splitParts(text);
  const [first = ''] = parts;
  if (parts.length === 1) {
    if (code.childNodes.length === 1 && code.firstChild instanceof Text) growText(code.firstChild, first);
    else code.replaceChildren(new Text(first));
    return;
  }
  if (code.firstElementChild === null) code.replaceChildren();
  parts.forEach((part, index) => {
    const node = code.children[index]?.firstChild;
    if (node instanceof Text) growText(node, part);
    else code.append(h('span', { class: 'code-part' }, new Text(part)));
  });
  while (code.children.length > parts.length) code.lastElementChild?.remove();
}

/** Returns the code as it was written. Parts do not include the line feed between them. */
export function readCode(code: Element): string {
  const parts = [...code.querySelectorAll(':scope > .code-part')];
  return parts.length === 0 ? code.textContent : parts.map((part) => part.textContent).join('\n');
}

function splitParts(text: string): string[] {
  const lines = text.split('\n');
  const parts: string[] = [];
  for (let start = 0; start < lines.length; start += PART_LINES) {
    parts.push(lines.slice(start, start + PART_LINES).join('\n'));
  }
  return parts;
}
