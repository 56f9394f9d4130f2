import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader } from '../../../server/processes/line-reader.ts';

function readAll(chunks: readonly Uint8Array[], maxLineBytes = 1_000) {
  const seen: Array<string | { tooLong: number }> = [];
  const reader = createLineReader({
    maxLineBytes,
    onLine: (line) => seen.push(line),
    onOversized: (oversized) => seen.push({ tooLong: oversized.maxLineBytes }),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

const bytes = (text: string) => Buffer.from(text, 'utf8');

test('lines end only at LF; CR and Unicode line separators are part of a line', () => {
  expect(readAll([bytes('a\u2028b\u2029c\u0085d\re\nf\r\n')])).toEqual(['a\u2028b\u2029c\u0085d\re', 'f\r']);
});

test('empty lines are skipped', () => {
  expect(readAll([bytes('\n\na\n\n')])).toEqual(['a']);
});

test('remaining bytes without an LF are the last line', () => {
  expect(readAll([bytes('a\n{"half":')])).toEqual(['a', '{"half":']);
});

test('the lines are the same however the bytes are split into chunks', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, cuts) => {
      const whole = bytes(lines.map((text) => `${text}\n`).join(''));
      const chunks: Uint8Array[] = [];
      let from = 0;
      for (const cut of cuts) {
        chunks.push(whole.subarray(from, from + cut));
        from += cut;
      }
      chunks.push(whole.subarray(from));
      expect(readAll(chunks)).toEqual(lines.filter((text) => text !== ''));
    }),
  );
});

test('a line that is too long is reported once and dropped, and the next line is complete', () => {
  const chunks = [bytes('first\nxxxx'), bytes('xxxx'), bytes('xxxx'), bytes('xx\nnext\n')];
  expect(readAll(chunks, 6)).toEqual(['first', { tooLong: 6 }, 'next']);
});

test('a line that is too long is reported before its end arrives', () => {
  let reported = 0;
  const reader = createLineReader({ maxLineBytes: 4, onLine: () => {}, onOversized: () => (reported += 1) });
  reader.push(bytes('12345'));
  expect(reported).toBe(1);
});

test('a line of exactly the allowed size in bytes is accepted', () => {
  expect(readAll([bytes('żół\n')], 6)).toEqual(['żół']);
  expect(readAll([bytes('żółw\n')], 6)).toEqual([{ tooLong: 6 }]);
});

test('two long lines in a row are both reported', () => {
  expect(readAll([bytes('aaaaa\nbbbbb\nc\n')], 3)).toEqual([{ tooLong: 3 }, { tooLong: 3 }, 'c']);
});
