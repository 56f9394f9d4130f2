import { describe, expect, it } from 'vitest';
import { readSources } from '../../../scripts/layers/read-sources.ts';

/** Ways to put text on the page without `h`, `setText`, `setAttribute` and `setPageTitle`. */
const BYPASS =
  /\.(?:textContent|innerText|outerText|innerHTML|outerHTML|title|alt|placeholder|ariaLabel|ariaDescription)\s*=[^=]|createTextNode|new Text\(|\.setAttribute\(\s*'(?:title|alt|placeholder|aria-label)'/;

/** They escape what they write themselves. */
const ALLOWED = new Set([
  'client/portlet/view/text/clipped-text.ts',
  'client/shared/dom.ts',
  'client/shared/markdown/code-text.ts',
  'client/shared/markdown/sanitize.ts',
]);

describe('the pages', () => {
  it('safe/visible put text on the page only through functions that write out hidden characters', () => {
    const sources = [...readSources()].filter(([path]) => path.startsWith('client/') && !ALLOWED.has(path));
    expect(sources.length).toBeGreaterThan(90);
    expect(sources.filter(([, text]) => BYPASS.test(text)).map(([path]) => path)).toEqual([]);
  });
});
