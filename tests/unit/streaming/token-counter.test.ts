import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../../server/streaming/token-counter.ts';

const countAll = (pieces: string[]) => {
  const counter = createTokenCounter();
  for (const piece of pieces) counter.add(piece);
  return counter.count;
};

describe('token counter', () => {
  it('counts words between whitespace', () => {
    expect(countAll(['one  two\nthree\t'])).toBe(3);
  });

  it('counts a word that is split between pieces once', () => {
    expect(countAll(['hel', 'lo wor', '', 'ld'])).toBe(2);
  });

  it('agrees with the regular expression over the whole text, however it is split', () => {
    const blanks = [' ', '\n', '\t', '\r', '\v', '\f', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f'];
    const character = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3 }),
      fc.constantFrom(...blanks, '\u205f', '\u3000', '\ufeff', '\u200b', '\u180e', '\u0085', '語', '👍'),
    );
    fc.assert(
      fc.property(fc.array(character), (pieces) => {
        expect(countAll(pieces)).toBe(pieces.join('').match(/\S+/g)?.length ?? 0);
      }),
    );
  });

  it('classifies every code unit like the regular expression', () => {
    const different = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (character) => countAll([character]) !== (/\S/.test(character) ? 1 : 0),
    );
    expect(different).toEqual([]);
  });
});
