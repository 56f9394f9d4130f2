import { h } from '../dom.ts';
import { splitText } from '../text-parts.ts';
import { growText } from './morph.ts';

/** From this many parts on, those out of view are not laid out. */
const MANY_PARTS = 4;

/** The whole text of code of which only the beginning is drawn. */
const wholes = new WeakMap<Element, string>();

/** Sets the text of a `<code>` element, changing only what differs. Long text is split into parts. */
export function setCode(code: HTMLElement, text: string, whole = text): void {
  if (whole === text) wholes.delete(code);
  else wholes.set(code, whole);
  const parts = splitText(text);
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) {
    if (code.childNodes.length === 1 && code.firstChild instanceof Text) growText(code.firstChild, first.text);
    else code.replaceChildren(new Text(first.text));
    return;
  }
  if (code.firstElementChild === null) code.replaceChildren();
  parts.forEach((part, index) => {
    const known = code.children[index];
    const node = known?.firstChild;
    if (node instanceof Text) {
      growText(node, part.text);
      known?.classList.toggle('is-continued', part.isContinued);
    } else {
      const name = part.isContinued ? 'code-part is-continued' : 'code-part';
      code.append(h('span', { class: name }, new Text(part.text)));
    }
  });
  while (code.children.length > parts.length) code.lastElementChild?.remove();
  code.classList.toggle('has-parts', parts.length >= MANY_PARTS);
}

/** Returns the code as it was written. Parts do not include the line feed between them. */
export function readCode(code: Element): string {
  const whole = wholes.get(code);
  if (whole !== undefined) return whole;
  const parts = [...code.querySelectorAll(':scope > .code-part')];
  if (parts.length === 0) return code.textContent;
  return parts.reduce((text, part, index) => {
    const separator = index === 0 || part.classList.contains('is-continued') ? '' : '\n';
    return text + separator + part.textContent;
  }, '');
}
