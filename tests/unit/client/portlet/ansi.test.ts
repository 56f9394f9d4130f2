import { describe, expect, it } from 'vitest';
import { parseAnsi } from '../../../../client/portlet/view/tools/ansi.ts';
import { heavyOutput } from '../../../fixtures/hostile/heavy-texts.ts';

const ESC = '\u001b';
const show = (output: string): string =>
  parseAnsi(output)
    .map(({ text, classes }) => (classes === '' ? text : `[${classes.replaceAll('ansi-', '')}:${text}]`))
    .join('');

describe('terminal output', () => {
  it.each([
    ['a colour', `${ESC}[31mred${ESC}[0m plain`, '[red:red] plain'],
    ['a bright colour', `${ESC}[92mgreen${ESC}[39m plain`, '[green:green] plain'],
    [
      'effects that end one by one',
      `${ESC}[1;4mboth${ESC}[22mline${ESC}[24mno`,
      '[bold underline:both][underline:line]no',
    ],
    ['a background', `${ESC}[41mx${ESC}[49my`, '[on-red:x]y'],
    ['an empty sequence as a reset', `${ESC}[31mx${ESC}[my`, '[red:x]y'],
    ['256 colours', `${ESC}[38;5;196mx${ESC}[38;5;21my${ESC}[38;5;250mz`, '[red:x][blue:y][white:z]'],
    ['24-bit colours', `${ESC}[38;2;10;200;30mx${ESC}[48;2;0;0;255my`, '[green:x][green on-blue:y]'],
    ['colours with colons', `${ESC}[38:5:46mx`, '[green:x]'],
    ['cursor movements and erasing', `a${ESC}[2Kb${ESC}[1;1Hc${ESC}[?25ld`, 'abcd'],
    ['a title', `${ESC}]0;title\u0007text`, 'text'],
    ['a link', `${ESC}]8;;https://example.com${ESC}\\words${ESC}]8;;${ESC}\\ after`, 'words after'],
    ['a cut-off sequence', `text${ESC}[3`, 'text3'],
    ['overwritten lines', 'one\r\n10%\r50%\r100%\ntwo\r\n', 'one\n100%\ntwo\n'],
    ['backspaces', 'abd\b\bc', 'ac'],
    ['other control characters', 'a\u0000b\u202ec', 'a␀b⟨U+202E⟩c'],
  ])('handles %s', (_, output, shown) => {
    expect(show(output)).toBe(shown);
  });

  it.each([
    ['keeps a style that was set in an overwritten part', `${ESC}[31mx\ry`, '[red:y]'],
    ['deletes text but not sequences with a backspace', `ab${ESC}[31m\bc`, 'a[red:c]'],
    ['deletes a character of two code units as one', 'a\u{1F468}\bb', 'ab'],
    ['does not delete the line before', 'a\n\bb', 'a\nb'],
  ])('%s', (_, output, shown) => {
    expect(show(output)).toBe(shown);
  });

  it('safe/frozen-output takes time in proportion to the length, whatever it contains', () => {
    const slow = Object.entries(heavyOutput).flatMap(([name, output]) => {
      const start = process.cpuUsage();
      parseAnsi(output);
      const { user, system } = process.cpuUsage(start);
      const ms = (user + system) / 1000;
      return ms > 1_500 ? [`${name}: ${ms} ms`] : [];
    });
    expect(slow).toEqual([]);
  }, 120_000);

  it('safe/frozen-output has at most 4,000 runs, and loses no text', () => {
    const runs = parseAnsi(`${ESC}[31ma${ESC}[32mb`.repeat(10_000));
    expect(runs.length).toBeLessThanOrEqual(4_001);
    expect(runs.map(({ text }) => text).join('')).toBe('ab'.repeat(10_000));
  });
});
