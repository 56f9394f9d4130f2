import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { leadingCaseIds, readCaseSections } from '../../../scripts/trace/listed-cases.ts';

describe('docs/cases.md', () => {
  it('lists every case once, each with a sentence', async () => {
    const text = await readFile(new URL('../../../docs/cases.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const ids = readCaseSections(text).flatMap((section) => section.ids);
    expect(ids).toHaveLength(rows.length);
    expect(new Set(ids).size).toBe(ids.length);
    for (const row of rows) expect(row).toMatch(/\| [A-Z].+\. \|$/);
  });
});

describe('a section of the case list', () => {
  it('has a title, its ids, and whether it is in progress', () => {
    const text = '# Cases\n\n## One\n| `one/first` | A. |\n| `one/second-part` | B. |\n## Two (in progress)\nNone.\n';
    expect(readCaseSections(text)).toEqual([
      { title: 'One', inProgress: false, ids: ['one/first', 'one/second-part'] },
      { title: 'Two', inProgress: true, ids: [] },
    ]);
  });
});

describe('the case ids of a test', () => {
  it.each([
    ['part/seq numbers every event', ['part/seq']],
    ['part/seq, part/from resumes', ['part/seq', 'part/from']],
    ['a group > part/one-end ends once', ['part/one-end']],
    ['part/contract > cancels', ['part/contract']],
    ['cancels like part/overtake', []],
  ])('of "%s" are %j', (name, ids) => {
    expect(leadingCaseIds(name)).toEqual(ids);
  });
});
