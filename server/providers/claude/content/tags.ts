/** The text between the first `<name>` and the next `</name>`. In linear time, whatever the text. */
export function tagText(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>`);
  if (open === -1) return undefined;
  const start = open + name.length + 2;
  const end = text.indexOf(`</${name}>`, start);
  return end === -1 ? undefined : text.slice(start, end);
}

/** The texts of all tags with one of these names, in order. */
export function allTagTexts(text: string, names: readonly string[]): string[] {
  const found: string[] = [];
  const opening = new RegExp(`<(${names.join('|')})>`, 'g');
  const unclosed = new Set<string>();
  for (let match = opening.exec(text); match !== null && unclosed.size < names.length; match = opening.exec(text)) {
    const [tag, name = ''] = match;
    if (unclosed.has(name)) continue;
    const start = match.index + tag.length;
    const end = text.indexOf(`</${name}>`, start);
    if (end === -1) unclosed.add(name);
    else {
      found.push(text.slice(start, end));
      opening.lastIndex = end + tag.length + 1;
    }
  }
  return found;
}

/** A number that was written in a text, unless it is too large to be one. */
export function toSafeNumber(digits: string | undefined): number | undefined {
  const number = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
