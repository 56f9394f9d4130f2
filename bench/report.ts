/** One result. `met` tells whether it meets its target, if it has one. */
export interface BenchRow {
  readonly measure: string;
  readonly value: string;
  readonly target?: string;
  readonly met?: boolean;
}

export interface BenchReport {
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly method: string;
  readonly rows: readonly BenchRow[];
  /** How to read the results. */
  readonly notes?: readonly string[];
}

export function toMarkdown({ title, method, rows, notes = [] }: BenchReport): string {
  const table = rows.map(({ measure, value, target, met }) => {
    const verdict = target === undefined ? '' : `${target} ${met ? '(met)' : '(missed)'}`;
    return `| ${measure} | ${value} | ${verdict} |`;
  });
  return [
    `## ${title}`,
    '',
    method,
    '',
    '| | measured | target |',
    '|---|---|---|',
    ...table,
    ...notes.flatMap((note) => ['', note]),
  ].join('\n');
}

/** Replaces the section of this name, or adds it at the end. */
export function replaceSection(text: string, name: string, section: string): string {
  const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  const block = `${start}\n${section}\n${end}`;
  if (from === -1 || to < from) return `${text.trimEnd()}\n\n${block}\n`;
  return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** By linear interpolation between the two nearest values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(position)] ?? Number.NaN, sorted[Math.ceil(position)] ?? Number.NaN];
  return low + (high - low) * (position - Math.floor(position));
}
