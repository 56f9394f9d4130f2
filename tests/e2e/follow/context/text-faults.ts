import type { Fault, Random } from './subject.ts';

const GARBAGE = ['{"type":"user","uu', 'null', '[]', '"text"', '{}', '\u0000\u0001\u0002', '<html>', '{"type":7}', ' '];

export type Row = Readonly<Record<string, unknown>>;

/** An empty row for a line that is none. */
export function readRow(line: string | undefined): Row {
  try {
    const row: unknown = JSON.parse(line ?? '');
    return typeof row === 'object' && row !== null ? (row as Row) : {};
  } catch {
    return {};
  }
}

export const onLines =
  (change: (lines: readonly string[], random: Random) => readonly string[]): Fault =>
  (text, random) => {
    const lines = text.split('\n').filter((line) => line !== '');
    return change(lines, random)
      .map((line) => `${line}\n`)
      .join('');
  };

export const without = (lines: readonly string[], ...places: readonly number[]) =>
  lines.filter((_, place) => !places.includes(place));

export const inserted = (lines: readonly string[], place: number, ...more: readonly string[]) => [
  ...lines.slice(0, place),
  ...more,
  ...lines.slice(place),
];

export const changed = (lines: readonly string[], place: number, fields: object) =>
  lines.map((line, each) => (each === place ? JSON.stringify({ ...readRow(line), ...fields }) : line));

/** A number from `from` on and below `to`. */
export const between = (random: Random, from: number, to: number) => from + random.below(Math.max(1, to - from));

/** What can happen to any file with one row per line. The first row is left alone. */
export const textFaults: Readonly<Record<string, Fault>> = {
  'nothing at all': (text) => text,
  'a torn last line': (text, random) => text.slice(0, -1 - random.below(Math.min(text.length / 2, 4_000))),
  'torn anywhere': (text, random) => text.slice(0, between(random, text.length * 0.3, text.length)),
  'the last rows missing': onLines((lines, random) => lines.slice(0, between(random, lines.length / 2, lines.length))),
  'garbage lines': onLines((lines, random) =>
    [1, 2, 3].reduce<readonly string[]>(
      (all) => inserted(all, between(random, 1, all.length + 1), random.pick(GARBAGE)),
      lines,
    ),
  ),
  'a row of an unknown type': onLines((lines, random) => {
    const row = { timestamp: new Date().toISOString(), type: 'future-row', payload: { type: 'future-thing' } };
    return inserted(lines, between(random, 1, lines.length + 1), JSON.stringify(row));
  }),
  'a row twice': onLines((lines, random) => {
    const place = between(random, 1, lines.length);
    return inserted(lines, between(random, place, lines.length + 1), lines[place] ?? '');
  }),
  'a missing row': onLines((lines, random) => without(lines, between(random, 1, lines.length))),
  'two rows in the other order': onLines((lines, random) => {
    const place = between(random, 1, lines.length - 1);
    return inserted(without(lines, place), place + 1, lines[place] ?? '');
  }),
};
