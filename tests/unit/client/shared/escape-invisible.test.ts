import { describe, expect, it } from 'vitest';
import { escapeInvisible, escapeInvisibleInLine } from '../../../../client/shared/escape-invisible.ts';

describe('invisible characters', () => {
  it.each([
    ['a NUL', '\u0000', '␀'],
    ['a bell', '\u0007', '␇'],
    ['an escape', '\u001b', '␛'],
    ['delete', '\u007f', '␡'],
    ['a C1 control', '\u0085', '⟨U+0085⟩'],
    ['a right-to-left override', '\u202e', '⟨U+202E⟩'],
    ['a right-to-left mark', '\u200f', '⟨U+200F⟩'],
    ['an isolate', '\u2066', '⟨U+2066⟩'],
    ['a zero-width space', '\u200b', '⟨U+200B⟩'],
    ['a soft hyphen', '\u00ad', '⟨U+00AD⟩'],
    ['a byte order mark', '\ufeff', '⟨U+FEFF⟩'],
    ['a line separator', '\u2028', '⟨U+2028⟩'],
    ['a filler', '\u3164', '⟨U+3164⟩'],
    ['a tag character', '\u{e0041}', '⟨U+E0041⟩'],
  ])('makes %s visible', (_, character, shown) => {
    expect(escapeInvisibleInLine(`a${character}b`)).toBe(`a${shown}b`);
  });

  it.each([
    ['line feed and tab', 'a\n\tb'],
    ['emoji with joiners and selectors', '👩‍💻 ❤️'],
    ['scripts written with joiners', 'می‌خواهم'],
    ['accents and ideographs', 'é e\u0301 漢字'],
  ])('does not change %s', (_, text) => {
    expect(escapeInvisibleInLine(text)).toBe(text);
  });

  it('normalises line ends first', () => {
    expect(escapeInvisible('a\r\nb\rc\u0007')).toBe('a\nb\nc␇');
  });
});
