/** One of each kind: overrides, isolates, marks, zero-width, fillers, separators, tags and controls. */
const HIDDEN = [
  '\u202E',
  '\u2066',
  '\u200F',
  '\u061C',
  '\u200B',
  '\u2060',
  '\uFEFF',
  '\u00AD',
  '\u3164',
  '\u2028',
  '\uFFF9',
  '\u{E0041}',
  '\u0000',
  '\u0007',
  '\u001B',
  '\u007F',
  '\u009B',
] as const;

/** A name with every hidden character in it. `word` tells the names in a test apart. */
export const hiddenName = (word: string): string => `${word}${HIDDEN.join(word.slice(0, 1))}end`;

/** Every text node and attribute of the document with a hidden character in it, and its title. */
export function findHidden(document: Document): string[] {
  const found: string[] = [];
  const check = (place: string, text: string | null): void => {
    if (HIDDEN.some((character) => text?.includes(character))) found.push(`${place}: ${JSON.stringify(text)}`);
  };
  check('document title', document.title);
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const { parentElement, nodeValue } = texts.currentNode;
    check(`text in ${parentElement?.tagName}.${parentElement?.className}`, nodeValue);
  }
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes)
      check(`${name} of ${element.tagName}.${element.className}`, value);
  }
  return found;
}
