import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDisposition, fileNameOf } from '../../../server/export/file-name.ts';

describe('keep/export the name of the file', () => {
  it.each([
    ['Fix the login bug', 'Fix the login bug.md'],
    ['../../etc/passwd', 'etc passwd.md'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j.md'],
    ['.hidden', 'hidden.md'],
    ['--flag', 'flag.md'],
    ['...', 'session.md'],
    ['\u202eabc\u0000\n', 'abc.md'],
    ['CON', 'session CON.md'],
    ['nul.txt', 'session nul.txt.md'],
    ['日本語 👍', '日本語 👍.md'],
    ['日'.repeat(100), `${'日'.repeat(40)}.md`],
    ['', 'session.md'],
  ])('of %j is %j', (title, name) => {
    expect(fileNameOf(title, 'md')).toBe(name);
  });

  it('is one part of a path and fits into a header, whatever the title is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const name = fileNameOf(title, 'html');
        const disposition = contentDisposition(name);
        const [, encoded] = /filename\*=UTF-8''([A-Za-z0-9%._~!-]+)$/.exec(disposition) ?? [];
        expect(name).toMatch(/^[^/\\.\s-][^/\\]*\.html$|^[^/\\.\s-]\.html$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(133);
        expect(disposition).toMatch(/^attachment; filename="[ !#-[\]-~]+"(?:; filename\*=UTF-8''[A-Za-z0-9%._~!-]+)?$/);
        if (encoded !== undefined) expect(decodeURIComponent(encoded)).toBe(name);
      }),
      { numRuns: 300 },
    );
  });
});
