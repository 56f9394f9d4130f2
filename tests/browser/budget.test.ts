import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPages, buildPages } from '../support/browser/built-pages.ts';

/** Limit for the scripts and styles that both pages load initially, compressed. */
const BUDGET_BYTES = 120 * 1024;

let pages: BuiltPages;
beforeAll(async () => {
  pages = await buildPages();
});
afterAll(() => pages.remove());

const read = (path: string) => readFile(join(pages.directory, path), 'utf8');

/** The scripts and styles that a page references, and the static imports of those scripts. */
async function firstLoad(page: string): Promise<Set<string>> {
  const html = await read(page);
  const named = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
  const found = new Set<string>();
  const queue = [...named];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (path.endsWith('.js')) queue.push(...staticImports(await read(path)));
  }
  return found;
}

function staticImports(script: string): string[] {
  return [...script.matchAll(/(?:^|[;}\n])(?:import|export)[^;("'`]*["'`]\.\/([^"'`]+)["'`]/g)].map(
    ([, name = '']) => `assets/${name}`,
  );
}

describe('the first load', () => {
  it('of both pages together is at most 120 KiB of scripts and styles', async () => {
    const files = new Set([...(await firstLoad('index.html')), ...(await firstLoad('portlet/index.html'))]);
    const sizes = await Promise.all(
      [...files].map(async (path) => [path, gzipSync(await read(path), { level: 9 }).length] as const),
    );
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    expect(total, sizes.map(([path, size]) => `${size} ${path}`).join('\n')).toBeLessThanOrEqual(BUDGET_BYTES);
    // Make sure that the test counts something.
    expect(files.size).toBeGreaterThanOrEqual(4);
    expect(total).toBeGreaterThan(20 * 1024);
  });

  it.each(['index.html', 'portlet/index.html'])(
    'of %s has no inline scripts and references only local files',
    async (page) => {
      const html = await read(page);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
      expect(html).not.toMatch(/<style|\son\w+=/);
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    },
  );

  it('does not include the highlighter, which is loaded on demand', async () => {
    const inHighlighter = (script: string) => script.includes('Could not find the language');
    const scriptsOf = async (paths: Iterable<string>) =>
      Promise.all([...paths].filter((path) => path.endsWith('.js')).map(read));
    const first = await scriptsOf(await firstLoad('portlet/index.html'));
    const all = await scriptsOf((await readdir(join(pages.directory, 'assets'))).map((name) => `assets/${name}`));
    expect(first.some(inHighlighter)).toBe(false);
    expect(all.some(inHighlighter)).toBe(true);
  });
});
