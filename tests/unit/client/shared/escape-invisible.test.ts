import { describe, expect, it } from 'vitest';
import { escapeInvisible, escapeInvisibleInLine, settledLength } from '../../../../client/shared/escape-invisible.ts';

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

  it.each([
    ['one character', '\u202e'.repeat(100_000), '⟨U+202E × 100,000⟩'],
    ['several characters', '\u202e\u202d'.repeat(50), '⟨100 invisible characters⟩'],
    ['a few characters', '\u202e\u202d\u202e', '⟨U+202E⟩⟨U+202D⟩⟨U+202E⟩'],
    ['characters of two code units', '\u{e0041}'.repeat(40), '⟨U+E0041 × 40⟩'],
  ])('safe/frozen-text counts a long run of %s instead of writing it out', (_, run, shown) => {
    expect(escapeInvisible(`a${run}b`)).toBe(`a${shown}b`);
  });

  it('safe/frozen-text shows the beginning of a stack of marks and counts the rest', () => {
    expect(escapeInvisible(`a${'\u0301'.repeat(100_000)}b`)).toBe(`a${'\u0301'.repeat(8)}⟨+ 99,992 combining marks⟩b`);
    expect(escapeInvisible(`a${'\ufe0f\u200d'.repeat(50)}`)).toContain('⟨+ 92 combining marks⟩');
    const stacked = `e${'\u0301'.repeat(16)}`;
    expect(escapeInvisible(stacked)).toBe(stacked);
  });

  it.each(['a', 'a\u0301b', '', 'a\r\nb'])('cannot change in %j, whatever follows', (text) => {
    expect(settledLength(text)).toBe(text.length);
  });

  it.each(['\u202e', '\u0301\u0301', '\r', '\u{e0041}', '\ud83d'])('may change at the end if that is %j', (end) => {
    expect(settledLength(`ab${end}`)).toBe(2);
  });
});
