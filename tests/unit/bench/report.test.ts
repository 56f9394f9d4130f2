import { describe, expect, it } from 'vitest';
import { median, quantile, replaceSection, toMarkdown } from '../../../bench/report.ts';

describe('a benchmark report', () => {
  it('is a table that says which targets were met', () => {
    const text = toMarkdown({
      title: 'Speed',
      method: 'Measured.',
      rows: [
        { measure: 'a', value: '1 ms' },
        { measure: 'b', value: '2 ×', target: '≤ 2 ×', met: true },
        { measure: 'c', value: '3 ×', target: '≤ 2 ×', met: false },
      ],
      notes: ['A note.'],
    });
    expect(text).toContain('| a | 1 ms |  |\n| b | 2 × | ≤ 2 × (met) |\n| c | 3 × | ≤ 2 × (missed) |\n\nA note.');
  });

  it('replaces its own section and nothing else', () => {
    const page = replaceSection(replaceSection('# Head\n', 'one', 'first'), 'two', 'second');
    const changed = replaceSection(page, 'one', 'changed');
    expect(changed).toBe(page.replace('first', 'changed'));
    expect(changed).toMatch(/^# Head\n\n<!-- bench:one -->\nchanged\n<!-- \/bench:one -->\n\n<!-- bench:two -->/);
  });
});

describe('quantiles', () => {
  it('interpolate between the nearest values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48);
  });
});
