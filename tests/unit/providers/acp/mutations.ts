/** Small changes to a line of the protocol, the same ones for the same seed. */

export type Random = () => number;

/** A linear congruential generator, which gives the same numbers everywhere. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  'x',
  '__proto__',
  'constructor',
  '\u0000\ud800',
  'completed',
  'selected',
  [],
  [[]],
  {},
  { type: 'text', text: 7 },
  { type: 'diff' },
  [null, { type: 'terminal' }],
  'long '.repeat(2_000),
];

export function mutate(line: string, random: Random): string {
  const kind = random();
  if (kind < 0.15) return mutateBytes(line, random);
  const message: unknown = JSON.parse(line);
  const changes = 1 + Math.floor(random() * 3);
  for (let change = 0; change < changes; change += 1) mutateValue(message, random);
  return JSON.stringify(message) ?? 'null';
}

function mutateBytes(line: string, random: Random): string {
  const at = Math.floor(random() * line.length);
  switch (Math.floor(random() * 4)) {
    case 0:
      return line.slice(0, at);
    case 1:
      return line.slice(0, at) + pick(random, ['{', '"', '\\', ']', '\t', '\u2028', '9']) + line.slice(at);
    case 2:
      return line.slice(0, at) + line.slice(at + 1 + Math.floor(random() * 5));
    default:
      return line + line;
  }
}

/** Changes one value somewhere in the tree. */
function mutateValue(root: unknown, random: Random): void {
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const holder = value as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      walk(holder[key]);
    }
  };
  walk(root);
  if (places.length === 0) return;
  const { holder, key } = pick(random, places);
  switch (Math.floor(random() * 4)) {
    case 0:
      delete holder[key];
      break;
    case 1:
      holder[`${key}x`] = holder[key];
      delete holder[key];
      break;
    case 2:
      holder[key] = structuredClone(pick(random, places).holder);
      break;
    default:
      holder[key] = structuredClone(pick(random, ODD_VALUES));
  }
}
