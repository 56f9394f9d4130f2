/** Text in a line of our own: nothing in it is markup. */
export function escapeLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]#|!~]/g, '\\$&');
}

/** A code block that the text cannot close: its fence is longer than every run of backticks in it. */
export function fence(text: string, language = 'text'): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/**
 * A message as it was written, in a quote: headings, lists and code blocks of the message, even unclosed ones, end with
 * it. HTML in it is shown, not used, except in code, where it is shown anyway.
 */
export function quote(text: string): string {
  let open: string | undefined;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => {
    const [, marks] = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})/.exec(line) ?? [];
    const isCode = open !== undefined || marks !== undefined;
    if (open === undefined) open = marks;
    else if (marks?.startsWith(open) && /^\s*[`~]+\s*$/.test(line)) open = undefined;
    return isCode ? line : escapeHtml(line);
  });
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** Between the code spans of a line. A span ends at the next run of as many backticks; without one there is no span. */
function escapeHtml(line: string): string {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }));
  const nextOfLength = new Map<number, number>();
  const closes = new Array<number | undefined>(runs.length);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const length = runs[index]?.length ?? 0;
    closes[index] = nextOfLength.get(length);
    nextOfLength.set(length, index);
  }
  const pieces: string[] = [];
  let kept = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const [open, close] = [runs[index], runs[closes[index] ?? -1]];
    if (open === undefined || close === undefined) continue;
    const end = close.at + close.length;
    pieces.push(withoutTags(line.slice(kept, open.at)), line.slice(open.at, end));
    kept = end;
    index = closes[index] ?? index;
  }
  return [...pieces, withoutTags(line.slice(kept))].join('');
}

const withoutTags = (text: string): string => text.replace(/<(?=[A-Za-z/!?])/g, '\\<');
