import { escapeInvisible } from '../../../shared/escape-invisible.ts';

/** A run of text with the same style. `classes` are names from the stylesheet, such as `ansi-red ansi-bold`. */
export interface AnsiRun {
  readonly text: string;
  readonly classes: string;
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

interface Style {
  colour: string | undefined;
  background: string | undefined;
  readonly effects: Set<string>;
}

const EFFECTS: Readonly<Record<number, string>> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 9: 'strike' };
const EFFECT_ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  29: ['strike'],
};

/** SGR sequences (group 1), all other escape sequences, and an escape that is cut off at the end. */
const ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains control characters
  /\u001B\[([\d;:]*)m|\u001B\[[\d;:?<=>!]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]|\u001B/g;

/** Splits terminal output into styled runs. Drops other escape sequences and text that `\r` or `\b` overwrites. */
export function parseAnsi(output: string): AnsiRun[] {
  const text = applyOverwrites(output.replaceAll('\r\n', '\n'));
  const runs: AnsiRun[] = [];
  const style: Style = { colour: undefined, background: undefined, effects: new Set() };
  let end = 0;
  const push = (piece: string): void => {
    if (piece !== '') runs.push({ text: escapeInvisible(piece), classes: classesOf(style) });
  };
  for (const sequence of text.matchAll(ESCAPE)) {
    push(text.slice(end, sequence.index));
    end = sequence.index + sequence[0].length;
    if (sequence[1] !== undefined) applySgr(style, sequence[1]);
  }
  push(text.slice(end));
  return runs;
}

function applyOverwrites(text: string): string {
  if (!text.includes('\r') && !text.includes('\b')) return text;
  return text
    .split('\n')
    .map((line) => {
      let kept = line.replace(/\r+$/, '');
      kept = kept.slice(kept.lastIndexOf('\r') + 1);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a backspace deletes one character
      for (let before = ''; before !== kept; ) [before, kept] = [kept, kept.replace(/[^\u0008]\u0008/g, '')];
      return kept.replaceAll('\b', '');
    })
    .join('\n');
}

function applySgr(style: Style, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    const effect = EFFECTS[code];
    if (code === 0) {
      style.colour = undefined;
      style.background = undefined;
      style.effects.clear();
    } else if (effect !== undefined) style.effects.add(effect);
    else if (code in EFFECT_ENDS) for (const ended of EFFECT_ENDS[code] ?? []) style.effects.delete(ended);
    else if (code === 38 || code === 48) {
      const [colour, used] = extendedColour(codes.slice(index + 1));
      if (code === 38) style.colour = colour;
      else style.background = colour;
      index += used;
    } else if (code === 39) style.colour = undefined;
    else if (code === 49) style.background = undefined;
    else if (code >= 30 && code <= 37) style.colour = COLOURS[code - 30];
    else if (code >= 90 && code <= 97) style.colour = COLOURS[code - 90];
    else if (code >= 40 && code <= 47) style.background = COLOURS[code - 40];
    else if (code >= 100 && code <= 107) style.background = COLOURS[code - 100];
  }
}

/** Maps 256 and 24-bit colours to the nearest of the theme's eight, which are legible. Also returns the codes used. */
function extendedColour(codes: readonly number[]): [colour: string | undefined, used: number] {
  if (codes[0] === 5) return [colourOfPalette(codes[1] ?? 0), 2];
  if (codes[0] === 2) return [nearestColour(codes[1] ?? 0, codes[2] ?? 0, codes[3] ?? 0), 4];
  return [undefined, 0];
}

function colourOfPalette(number: number): string | undefined {
  if (number < 16) return COLOURS[number % 8];
  if (number >= 232) return number < 244 ? 'black' : 'white';
  const cube = number - 16;
  return nearestColour(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearestColour(red: number, green: number, blue: number): string | undefined {
  const most = Math.max(red, green, blue);
  if (most < 64) return 'black';
  const bit = (part: number): number => (part > most * 0.6 ? 1 : 0);
  return COLOURS[bit(red) + bit(green) * 2 + bit(blue) * 4];
}

function classesOf({ colour, background, effects }: Style): string {
  const classes = [...effects].map((effect) => `ansi-${effect}`);
  if (colour !== undefined) classes.push(`ansi-${colour}`);
  if (background !== undefined) classes.push(`ansi-on-${background}`);
  return classes.join(' ');
}
