/**
 * Makes the children of `parent` equal to those of `wanted`, changing only what differs. Equal nodes stay and text is
 * appended to, so that selections and scroll positions survive.
 */
export function morphChildren(parent: Node, wanted: Node): void {
  let current = parent.firstChild;
  for (const next of [...wanted.childNodes]) {
    if (current === null) {
      parent.appendChild(next);
      continue;
    }
    const following: ChildNode | null = current.nextSibling;
    morphNode(current, next);
    current = following;
  }
  while (current !== null) {
    const following: ChildNode | null = current.nextSibling;
    current.remove();
    current = following;
  }
}

function morphNode(current: ChildNode, next: ChildNode): void {
  if (current.isEqualNode(next)) return;
  if (current instanceof Text && next instanceof Text) growText(current, next.data);
  else if (current instanceof Element && next instanceof Element && haveEqualTags(current, next)) {
    morphChildren(current, next);
  } else current.replaceWith(next);
}

export function growText(node: Text, text: string): void {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

function haveEqualTags(a: Element, b: Element): boolean {
  return a.cloneNode(false).isEqualNode(b.cloneNode(false));
}
