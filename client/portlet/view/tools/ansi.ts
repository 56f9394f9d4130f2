import { readable } from '../../../shared/escape-invisible.ts';

/** Text in one look: `classes` are those of the stylesheet, `ansi-red`, `ansi-bold` and so on. */
export interface AnsiRun {
  readonly text: string;
  readonly classes: string;
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

interface Look {
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

/** SGR sequences (group 1), every other escape sequence, and an escape cut off at the end. */
const ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output is made of them
  /\u001B\[([\d;:]*)m|\u001B\[[\d;:?<=>!]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]|\u001B/g;

/** Terminal output as runs of text: colours kept, cursor movements and titles dropped, lines overwritten by `\r` too. */
export function parseAnsi(output: string): AnsiRun[] {
  const text = applyOverwrites(output.replaceAll('\r\n', '\n'));
  const runs: AnsiRun[] = [];
  const look: Look = { colour: undefined, background: undefined, effects: new Set() };
  let end = 0;
  const push = (piece: string): void => {
    if (piece !== '') runs.push({ text: readable(piece), classes: classesOf(look) });
  };
  for (const sequence of text.matchAll(ESCAPE)) {
    push(text.slice(end, sequence.index));
    end = sequence.index + sequence[0].length;
    if (sequence[1] !== undefined) applySgr(look, sequence[1]);
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
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a backspace takes one character back
      for (let before = ''; before !== kept; ) [before, kept] = [kept, kept.replace(/[^\u0008]\u0008/g, '')];
      return kept.replaceAll('\b', '');
    })
    .join('\n');
}

function applySgr(look: Look, parameters: string): void {
  const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    const effect = EFFECTS[code];
    if (code === 0) {
      look.colour = undefined;
      look.background = undefined;
      look.effects.clear();
    } else if (effect !== undefined) look.effects.add(effect);
    else if (code in EFFECT_ENDS) for (const ended of EFFECT_ENDS[code] ?? []) look.effects.delete(ended);
    else if (code === 38 || code === 48) {
      const [colour, used] = extendedColour(codes.slice(index + 1));
      if (code === 38) look.colour = colour;
      else look.background = colour;
      index += used;
    } else if (code === 39) look.colour = undefined;
    else if (code === 49) look.background = undefined;
    else if (code >= 30 && code <= 37) look.colour = COLOURS[code - 30];
    else if (code >= 90 && code <= 97) look.colour = COLOURS[code - 90];
    else if (code >= 40 && code <= 47) look.background = COLOURS[code - 40];
    else if (code >= 100 && code <= 107) look.background = COLOURS[code - 100];
  }
}

/** 256 and 24-bit colours, as the nearest of the theme's eight, so that they stay legible; and how many codes it took. */
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

function classesOf({ colour, background, effects }: Look): string {
  const classes = [...effects].map((effect) => `ansi-${effect}`);
  if (colour !== undefined) classes.push(`ansi-${colour}`);
  if (background !== undefined) classes.push(`ansi-on-${background}`);
  return classes.join(' ');
}
