import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const THEME = 'client/shared/theme.css';
const files = readdirSync('client', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => join('client', name));

/** The lines of a file that match, without comments. A media query cannot read a custom property. */
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

  it('that are used are there, and those that are there are used', () => {
    const css = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const named = (pattern: RegExp) => new Set([...css.matchAll(pattern)].map(([, name = '']) => name));
    const made = named(/^\s*(--[\w-]+):/gm);
    const used = named(/var\((--[\w-]+)/g);
    // The width of the sidebar is set where it is dragged.
    expect([...used].filter((name) => !made.has(name))).toEqual(['--sidebar-width']);
    expect([...made].filter((name) => !used.has(name))).toEqual([]);
  });
});
