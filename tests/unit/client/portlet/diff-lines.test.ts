import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLines } from '../../../../client/portlet/view/tools/fold-lines.ts';
import { diffLines } from '../../../../client/portlet/view/tools/diff-lines.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const show = (before: string | null, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

describe('a diff of lines', () => {
  it('shows what was replaced, removed first', () => {
    expect(show('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a', '-b', '+x', ' c']);
  });

  it('shows a new file as added', () => {
    expect(show(null, 'a\nb\n')).toEqual(['+a', '+b']);
  });

  it('shows an emptied file as removed', () => {
    expect(show('a\nb', '')).toEqual(['-a', '-b']);
  });

  it('lets an added function end with its own brace', () => {
    const before = 'x\none() {\n}\n\nthree() {\n}\n';
    const after = 'y\none() {\n}\n\ntwo() {\n}\n\nthree() {\n}\n';
    const lines = ['-x', '+y', ' one() {', ' }', ' ', '+two() {', '+}', '+', ' three() {', ' }'];
    expect(show(before, after)).toEqual(lines);
  });

  it('numbers the lines of both sides', () => {
    const numbers = diffLines('a\nb\nc', 'a\nc\nd').map(({ oldNumber, newNumber }) => [oldNumber, newNumber]);
    expect(numbers).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
      [undefined, 3],
    ]);
  });

  it('treats line ends of both kinds alike', () => {
    expect(show('a\r\nb\r\n', 'a\nb\n')).toEqual([' a', ' b']);
  });

  it('always contains both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines([...before, 'end'].join('\n'), [...after, 'end'].join('\n'));
        expect(lines.filter(({ kind }) => kind !== 'added').map((line) => line.text)).toEqual([...before, 'end']);
        expect(lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text)).toEqual([...after, 'end']);
      }),
    );
  });

  it('shows everything as replaced when the texts have little in common', () => {
    const lines = (word: string) => Array.from({ length: 2_000 }, (_, index) => `${word} ${index}`).join('\n');
    const kinds = diffLines(lines('old'), lines('new')).map(({ kind }) => kind);
    expect(kinds.indexOf('added')).toBe(2_000);
    expect(kinds).toHaveLength(4_000);
  });
});

describe('folding', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

  it('keeps three unchanged lines around a change', () => {
    const before = lines(40);
    const after = before.with(20, 'changed');
    const parts = foldLines(diffLines(before.join('\n'), after.join('\n')));
    expect(parts.map(({ isFolded, lines: part }) => [isFolded, part.length])).toEqual([
      [true, 17],
      [false, 3],
      [false, 2],
      [false, 3],
      [true, 16],
    ]);
  });

  it('does not fold what is hardly longer than the fold', () => {
    const before = lines(12);
    const after = before.with(0, 'changed').with(11, 'changed');
    const parts = foldLines(diffLines(before.join('\n'), after.join('\n')));
    expect(parts.filter(({ isFolded }) => isFolded).map(({ lines: part }) => part.length)).toEqual([4]);
    expect(foldLines(diffLines(before.slice(0, 9).join('\n'), after.slice(0, 9).join('\n'))).length).toBeLessThan(5);
  });
});
