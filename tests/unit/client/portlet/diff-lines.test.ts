import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, foldLines } from '../../../../client/portlet/view/tools/diff-lines.ts';

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;
const show = (before: string | null, after: string): string[] =>
  diffLines(before, after).lines.map(({ kind, text }) => SIGNS[kind] + text);

const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);

describe('a diff of lines', () => {
  it('shows removed lines before the added lines that replace them', () => {
    expect(show('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a', '-b', '+x', ' c']);
  });

  it('shows a new file as added', () => {
    expect(show(null, 'a\nb\n')).toEqual(['+a', '+b']);
  });

  it('shows an emptied file as removed', () => {
    expect(show('a\nb', '')).toEqual(['-a', '-b']);
  });

  it('ends an added function with its own brace', () => {
    const before = 'x\none() {\n}\n\nthree() {\n}\n';
    const after = 'y\none() {\n}\n\ntwo() {\n}\n\nthree() {\n}\n';
    const lines = ['-x', '+y', ' one() {', ' }', ' ', '+two() {', '+}', '+', ' three() {', ' }'];
    expect(show(before, after)).toEqual(lines);
  });

  it('numbers the lines of both sides', () => {
    const numbers = diffLines('a\nb\nc', 'a\nc\nd').lines.map(({ oldNumber, newNumber }) => [oldNumber, newNumber]);
    expect(numbers).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
      [undefined, 3],
    ]);
  });

  it('treats CRLF and LF alike', () => {
    expect(show('a\r\nb\r\n', 'a\nb\n')).toEqual([' a', ' b']);
  });

  it('contains both texts completely', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines } = diffLines([...before, 'end'].join('\n'), [...after, 'end'].join('\n'));
        expect(lines.filter(({ kind }) => kind !== 'added').map((line) => line.text)).toEqual([...before, 'end']);
        expect(lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text)).toEqual([...after, 'end']);
      }),
    );
  });

  it('shows everything as replaced when the texts have no line in common', () => {
    const kinds = diffLines(numbered('old', 2_000).join('\n'), numbered('new', 2_000).join('\n')).lines.map(
      ({ kind }) => kind,
    );
    expect(kinds.indexOf('added')).toBe(2_000);
    expect(kinds).toHaveLength(4_000);
  });
});

describe('a diff of long texts', () => {
  const count = (before: readonly string[], after: readonly string[]) => {
    const { lines, isExact } = diffLines(before.join('\n'), after.join('\n'));
    const countOf = (kind: string) => lines.filter((line) => line.kind === kind).length;
    return { added: countOf('added'), removed: countOf('removed'), isExact };
  };

  it('counts a thousand changed lines in 3,000', () => {
    const before = numbered('line', 3_000);
    const after = before.map((line, index) => (index % 3 === 0 ? `changed ${index}` : line));
    expect(count(before, after)).toEqual({ added: 1_000, removed: 1_000, isExact: true });
  });

  it('counts a thousand changes among repeated lines', () => {
    const before = numbered('line', 3_000).flatMap((line, index) => (index % 2 === 0 ? [line, '}', ''] : [line]));
    const after = before.map((line) => (line.endsWith('7') || line.endsWith('3') ? `${line} changed` : line));
    const changed = after.filter((line) => line.endsWith('changed')).length;
    expect(count(before, after)).toEqual({ added: changed, removed: changed, isExact: true });
  });

  it('counts 7,000 changed lines in 20,000', () => {
    const before = numbered('line', 20_000);
    const after = before.map((line, index) => (index % 20 < 7 ? `changed ${index}` : line));
    expect(count(before, after)).toEqual({ added: 7_000, removed: 7_000, isExact: true });
  });

  it('finishes in time with 20,000 lines in reverse order, and reports that the counts are not exact', () => {
    const before = ['first', ...numbered('line', 20_000), 'last'];
    const after = ['first', ...numbered('line', 20_000).reverse(), 'last'];
    const start = performance.now();
    expect(count(before, after)).toEqual({ added: 20_000, removed: 20_000, isExact: false });
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('folding', () => {
  it('keeps three unchanged lines around a change', () => {
    const before = numbered('line', 40);
    const after = before.with(20, 'changed');
    const parts = foldLines(diffLines(before.join('\n'), after.join('\n')).lines);
    expect(parts.map(({ isFolded, lines: part }) => [isFolded, part.length])).toEqual([
      [true, 17],
      [false, 3],
      [false, 2],
      [false, 3],
      [true, 16],
    ]);
  });

  it('does not fold only a few lines', () => {
    const before = numbered('line', 12);
    const after = before.with(0, 'changed').with(11, 'changed');
    const parts = foldLines(diffLines(before.join('\n'), after.join('\n')).lines);
    expect(parts.filter(({ isFolded }) => isFolded).map(({ lines: part }) => part.length)).toEqual([4]);
    expect(foldLines(diffLines(before.slice(0, 9).join('\n'), after.slice(0, 9).join('\n')).lines).length).toBeLessThan(
      5,
    );
  });
});
