import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync('client/shared/theme.css', 'utf8');
const colours = new Map(
  [...css.matchAll(/--color-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

function colour(name: string, theme: 'light' | 'dark'): string {
  const found = colours.get(name)?.[theme];
  if (found === undefined) throw new Error(`theme.css has no ${theme} colour "${name}".`);
  return found;
}

/** Relative luminance and contrast as defined by WCAG 2.2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ['background', 'raised', 'sunken'];
const words = ['text', 'muted', 'accent', 'success', 'warning', 'error'];
const strokes = ['faint', 'claude', 'codex'];

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  it.each(words.flatMap((word) => grounds.map((ground) => [word, ground] as const)))(
    '%s is legible on %s (4.5:1)',
    (word, ground) => {
      expect(contrast(colour(word, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(['text', 'muted'])('%s is legible on hovered and selected elements (4.5:1)', (word) => {
    for (const ground of ['hover', 'selected']) {
      expect(contrast(colour(word, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('text is legible on the accent (4.5:1)', () => {
    expect(contrast(colour('on-accent', theme), colour('accent', theme))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(strokes)('%s is visible on every background (3:1)', (stroke) => {
    for (const ground of [...grounds, 'hover', 'selected']) {
      expect(contrast(colour(stroke, theme), colour(ground, theme))).toBeGreaterThanOrEqual(3);
    }
  });
});
