/**
 * Characters that change how text looks or reads without being visible: controls, bidirectional marks and overrides,
 * zero-width and filler characters, line separators, interlinear marks, tag characters. Joiners and variation
 * selectors are left alone: emoji and several scripts need them.
 */
const INVISIBLE =
  /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB](?<![\t\n\p{Join_Control}\p{Variation_Selector}])/gu;

/** Turns every line end into a line feed and makes invisible characters visible. Tabs and line feeds stay. */
export function escapeInvisible(text: string): string {
  return escapeInvisibleInLine(text.replace(/\r\n?/g, '\n'));
}

/** The same for text in which a carriage return is not a line end, and so is made visible too. */
export function escapeInvisibleInLine(text: string): string {
  return text.replace(INVISIBLE, visibleForm);
}

function visibleForm(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27E8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27E9`;
}

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
