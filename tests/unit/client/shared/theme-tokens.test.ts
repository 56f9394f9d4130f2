import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const THEME = 'client/shared/theme.css';
const files = readdirSync('client', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => join('client', name));

/** The matching lines of a file, without comments. Media queries are skipped: they cannot use custom properties. */
function linesOf(file: string, pattern: RegExp): string[] {
  const css = readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  return css.split('\n').filter((line) => pattern.test(line) && !line.startsWith('@media'));
}

describe('colours and sizes', () => {
  const others = files.filter((file) => file !== THEME);

  it.each(others)('come from the theme, in %s', (file) => {
    expect(linesOf(file, /\d(px|rem|pt)\b/)).toEqual([]);
    expect(linesOf(file, /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|oklch|lab|color)\(/i)).toEqual([]);
    expect(linesOf(file, /:.*\b(black|white|gray|grey|red|green|blue|orange|yellow)\b/)).toEqual([]);
  });

  it('are all defined and all used', () => {
    const css = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const named = (pattern: RegExp) => new Set([...css.matchAll(pattern)].map(([, name = '']) => name));
    const defined = named(/^\s*(--[\w-]+):/gm);
    const used = named(/var\((--[\w-]+)/g);
    // The width of the sidebar is set by the resizer.
    expect([...used].filter((name) => !defined.has(name))).toEqual(['--sidebar-width']);
    expect([...defined].filter((name) => !used.has(name))).toEqual([]);
  });
});
