import { PLACEHOLDER_TITLE } from '../shared/entities.ts';

const MAX_TITLE_LENGTH = 50;
/** Nothing after it can be part of a title. */
const LOOKED_AT = 2_000;
const MAX_GIVEN_LENGTH = 200;

/**
 * Derives a title from the first message: one line of about 50 characters, cut at a word, without control characters.
 */
export function deriveTitle(message: string): string {
  const line = toOneLine(message.slice(0, LOOKED_AT));
  if (line === '') return PLACEHOLDER_TITLE;
  const characters = Array.from(line);
  if (characters.length <= MAX_TITLE_LENGTH) return line;
  const cut = characters.slice(0, MAX_TITLE_LENGTH).join('');
  const endsAtWord = characters[MAX_TITLE_LENGTH] === ' ';
  const lastSpace = cut.lastIndexOf(' ');
  const kept = endsAtWord || lastSpace < MAX_TITLE_LENGTH / 2 ? cut : cut.slice(0, lastSpace);
  return `${kept.trimEnd()}…`;
}

/** A title that somebody gave elsewhere, as one line of at most 200 characters. Empty if nothing is left of it. */
export function cleanTitle(title: string): string {
  return Array.from(toOneLine(title.slice(0, LOOKED_AT)))
    .slice(0, MAX_GIVEN_LENGTH)
    .join('')
    .trimEnd();
}

function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
}
