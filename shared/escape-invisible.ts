/**
 * Characters that change how text looks or reads without being visible: controls, bidirectional marks and overrides,
 * zero-width and filler characters, line separators, interlinear marks, tag characters. Joiners and variation
 * selectors are left alone: emoji and several scripts need them.
 */
const INVISIBLE =
  /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\uFFF9-\uFFFB](?<![\t\n\p{Join_Control}\p{Variation_Selector}])/u;

/** What the browser stacks on the character before. Shaping many of them takes more than linear time. */
const STACKED = /[\p{M}\p{Join_Control}\p{Variation_Selector}]/u;

const ONLY_PLAIN = /^[\t\n -~]*$/;

/** Of a longer run of invisible characters only the number is shown. */
const LONGEST_RUN = 32;
/** Of a longer stack, which no script needs, only its beginning. */
const HIGHEST_STACK = 16;
const SHOWN_STACK = 8;

/** Turns every line end into a line feed and makes invisible characters visible. Tabs and line feeds stay. */
export function escapeInvisible(text: string): string {
  return escapeInvisibleInLine(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);
}

/** The same for text in which a carriage return is not a line end, and so is made visible too. */
export function escapeInvisibleInLine(text: string): string {
  if (ONLY_PLAIN.test(text)) return text;
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind === 'visible') {
      at += 1;
      continue;
    }
    const end = endOfRun(text, at, kind);
    const run = text.slice(at, end);
    const shown = kind === 'invisible' ? visibleRun(run) : shownStack(run);
    if (shown !== run) {
      pieces.push(text.slice(kept, at), shown);
      kept = end;
    }
    at = end;
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}

/** Where the part of `text` begins whose visible form could change if text is appended. */
export function settledLength(text: string): number {
  let end = text.length;
  while (end > 0 && isOpen(text, end - 1)) end -= 1;
  return end;
}

function isOpen(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x20 || (code >= 0xd800 && code <= 0xdfff) || kindAt(text, at) !== 'visible';
}

type Kind = 'visible' | 'invisible' | 'stacked';

/** Looked up by code point, because testing each character with an expression is slow. */
const kinds = new Map<number, Kind>();

function kindAt(text: string, at: number): Kind {
  const unit = text.charCodeAt(at);
  if (unit >= 0x20 && unit < 0x7f) return 'visible';
  const code = text.codePointAt(at) ?? 0;
  const known = kinds.get(code);
  if (known !== undefined) return known;
  const character = String.fromCodePoint(code);
  const kind = INVISIBLE.test(character) ? 'invisible' : STACKED.test(character) ? 'stacked' : 'visible';
  kinds.set(code, kind);
  return kind;
}

function endOfRun(text: string, start: number, kind: Kind): number {
  let end = start;
  while (end < text.length && kindAt(text, end) === kind) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}

function visibleRun(run: string): string {
  if (run.length === 1) return visibleForm(run);
  const count = countCharacters(run);
  if (count <= LONGEST_RUN) return Array.from(run, visibleForm).join('');
  const first = String.fromCodePoint(run.codePointAt(0) ?? 0);
  const isOneCharacter = run === first.repeat(count);
  return isOneCharacter
    ? `\u27E8${nameOf(first)} \u00D7 ${formatCount(count)}\u27E9`
    : `\u27E8${formatCount(count)} invisible characters\u27E9`;
}

function shownStack(run: string): string {
  if (run.length <= HIGHEST_STACK) return run;
  const shown = Array.from(run.slice(0, 2 * SHOWN_STACK)).slice(0, SHOWN_STACK);
  return `${shown.join('')}\u27E8+ ${formatCount(countCharacters(run) - shown.length)} combining marks\u27E9`;
}

/** Remembered, because a text may contain many of them. */
const visibleForms = new Map<string, string>();

function visibleForm(character: string): string {
  const known = visibleForms.get(character);
  if (known !== undefined) return known;
  const shown = describe(character.codePointAt(0) ?? 0, character);
  visibleForms.set(character, shown);
  return shown;
}

function describe(code: number, character: string): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27E8${nameOf(character)}\u27E9`;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
