import { escapeInvisible } from '../../shared/escape-invisible.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for an element or a quoted attribute. Invisible characters are written out, as on the page. */
export function asText(text: string): string {
  return escapeInvisible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The line feed after the tag is not part of the text. */
export function codeBlock(text: string): string {
  return `<pre dir="ltr">\n${asText(text)}</pre>\n`;
}

/** Text in which lines and spaces stay as they are, and fenced code is set apart. */
export function textWithCode(text: string): string {
  const blocks: string[] = [];
  let lines: string[] = [];
  let open: string | undefined;
  const end = (isCode: boolean) => {
    const block = lines.join('\n');
    lines = [];
    if (isCode) blocks.push(codeBlock(block));
    else if (block.trim() !== '')
      blocks.push(`<div class="text" dir="auto">${asText(block.replace(/^\n+|\n+$/g, ''))}</div>\n`);
  };
  for (const line of text.split('\n')) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const begins = open === undefined && marks !== undefined;
    const closes = open !== undefined && marks?.startsWith(open) === true && /^ *[`~]+\s*$/.test(line);
    if (begins || closes) end(closes);
    else lines.push(line);
    if (begins) open = marks;
    else if (closes) open = undefined;
  }
  end(open !== undefined);
  return blocks.join('');
}
