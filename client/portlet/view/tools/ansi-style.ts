const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

const EFFECTS: Readonly<Record<number, string>> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 9: 'strike' };
const EFFECT_ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  29: ['strike'],
};

/** The style that SGR sequences have set so far. */
export interface AnsiStyle {
  /** Applies the parameters of a sequence. */
  apply(parameters: string): void;
  /** Names from the stylesheet. */
  classes(): string;
}

export function createAnsiStyle(): AnsiStyle {
  let colour: string | undefined;
  let background: string | undefined;
  const effects = new Set<string>();
  let classes = '';

  function apply(parameters: string): void {
    const codes = parameters.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)));
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      const effect = EFFECTS[code];
      if (code === 0) {
        colour = undefined;
        background = undefined;
        effects.clear();
      } else if (effect !== undefined) effects.add(effect);
      else if (code in EFFECT_ENDS) for (const ended of EFFECT_ENDS[code] ?? []) effects.delete(ended);
      else if (code === 38 || code === 48) {
        const [extended, used] = extendedColour(codes, index + 1);
        if (code === 38) colour = extended;
        else background = extended;
        index += used;
      } else if (code === 39) colour = undefined;
      else if (code === 49) background = undefined;
      else if (code >= 30 && code <= 37) colour = COLOURS[code - 30];
      else if (code >= 90 && code <= 97) colour = COLOURS[code - 90];
      else if (code >= 40 && code <= 47) background = COLOURS[code - 40];
      else if (code >= 100 && code <= 107) background = COLOURS[code - 100];
    }
  }

  return {
    apply(parameters) {
      apply(parameters);
      const names = [...effects].map((effect) => `ansi-${effect}`);
      if (colour !== undefined) names.push(`ansi-${colour}`);
      if (background !== undefined) names.push(`ansi-on-${background}`);
      classes = names.join(' ');
    },
    classes: () => classes,
  };
}

/** Maps 256 and 24-bit colours to the nearest of the theme's eight, which are legible. Also returns the codes used. */
function extendedColour(codes: readonly number[], at: number): [colour: string | undefined, used: number] {
  if (codes[at] === 5) return [colourOfPalette(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) return [nearestColour(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), 4];
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
