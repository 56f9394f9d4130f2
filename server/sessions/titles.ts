import { PLACEHOLDER_TITLE } from '../../shared/entities.ts';

const MAX_TITLE_LENGTH = 50;

/**
 * Derives a title from the first message: one line of about 50 characters, cut at a word, without control characters.
 */
export function deriveTitle(message: string): string {
  const line = message.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (line === '') return PLACEHOLDER_TITLE;
  const characters = Array.from(line);
  if (characters.length <= MAX_TITLE_LENGTH) return line;
  const cut = characters.slice(0, MAX_TITLE_LENGTH).join('');
  const endsAtWord = characters[MAX_TITLE_LENGTH] === ' ';
  const lastSpace = cut.lastIndexOf(' ');
  const kept = endsAtWord || lastSpace < MAX_TITLE_LENGTH / 2 ? cut : cut.slice(0, lastSpace);
  return `${kept.trimEnd()}…`;
}
