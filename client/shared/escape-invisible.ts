import { escapeInvisibleInLine } from '../../shared/escape-invisible.ts';

export { escapeInvisible, escapeInvisibleInLine, settledLength } from '../../shared/escape-invisible.ts';

/** Escapes the text nodes under `root`: a character reference such as `&#x202e;` is decoded only there. */
export function escapeInvisibleIn(root: Node): void {
  const document = root.ownerDocument ?? (root as Document);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.nodeValue ?? '';
    const escaped = escapeInvisibleInLine(text);
    if (escaped !== text) node.nodeValue = escaped;
  }
}
