/**
 * Characters that change how text looks or reads without being seen: controls, bidirectional marks and overrides,
 * zero-width and filler characters, line separators, interlinear marks, tag characters. Joiners and variation
 * selectors stay as they are: emoji and several scripts are written with them.
 */
const INVISIBLE =
  /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB](?<![\t\n\p{Join_Control}\p{Variation_Selector}])/gu;

/** Line feed and tab stay; a carriage return must have been turned into a line feed before. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, visibleForm);
}

function visibleForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27E8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27E9`;
}

/** Every line end as one line feed, invisible characters shown. */
export function readable(text: string): string {
  return showInvisible(text.replace(/\r\n?/g, '\n'));
}

/** Shows what a character reference (`&#x202e;`) smuggled past the source text. */
export function showInvisibleIn(root: Node): void {
  const document = root.ownerDocument ?? (root as Document);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.nodeValue ?? '';
    const shown = showInvisible(text);
    if (shown !== text) node.nodeValue = shown;
  }
}
