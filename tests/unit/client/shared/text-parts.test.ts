import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from '../../../../client/shared/text-parts.ts';

const join = (text: string): string =>
  splitText(text).reduce((all, part, index) => all + (index === 0 || part.isContinued ? '' : '\n') + part.text, '');

describe('parts of a long text', () => {
  it('are the whole text together', () => {
    const piece = fc.constantFrom(
      'a',
      '\n',
      ' ',
      '\u{1F468}',
      '\u0628',
      'word '.repeat(300),
      'x'.repeat(5_000),
      '\n\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(join(text)).toBe(text);
      }),
    );
  });

  it('are one for short text', () => {
    expect(splitText('a\nb')).toEqual([{ text: 'a\nb', isContinued: false }]);
    expect(splitText('')).toHaveLength(1);
  });

  it('safe/frozen-text are never longer than is quick to lay out', () => {
    const longest = (text: string) => Math.max(...splitText(text).map((part) => part.text.length));
    expect(longest('x'.repeat(100_000))).toBe(4_000);
    expect(longest('\u0628'.repeat(100_000))).toBe(1_000);
    expect(longest('\u{1F1E6}'.repeat(50_000))).toBe(300);
    expect(longest(`${'word '.repeat(2_000)}\u{1F1E6}`)).toBe(1_000);
  });

  it('do not tear a character apart', () => {
    const parts = splitText(`a${'\u{1F468}'.repeat(3_000)}`);
    expect(parts.filter((part) => /\p{Cs}/u.test(part.text))).toEqual([]);
  });

  it('end after a space if there is one', () => {
    expect(splitText('word '.repeat(2_000))[0]?.text.endsWith(' ')).toBe(true);
  });
});
