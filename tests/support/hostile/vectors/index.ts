import { contexts } from './contexts.ts';
import { imitationVectors, terminalVectors } from './imitations.ts';
import { leakVectors } from './leaks.ts';
import { foreignVectors, mutationVectors } from './markup.ts';
import { addressVectors, clobberingVectors, handlerVectors } from './payloads.ts';

/** Where leaks lead unless a test has a server that records them. */
const NOWHERE = 'http://evil.example/leak';

/** Hostile texts by family. Each calls `pwned()` if it runs and asks for `leak` if it loads something. */
export function vectorFamilies(leak = NOWHERE): Readonly<Record<string, readonly string[]>> {
  const plain = {
    handlers: handlerVectors(),
    addresses: addressVectors(),
    clobbering: clobberingVectors(),
    mutation: mutationVectors(),
    foreign: foreignVectors(leak),
    leaks: leakVectors(leak),
    imitations: imitationVectors(),
    terminal: terminalVectors(leak),
  };
  const cores = Object.values(plain).flatMap((family) => every(family, 12));
  // Every place gets every core over the whole list, but not every pair is a vector of its own.
  const placed = cores.flatMap((core, index) =>
    contexts.filter((_, number) => (number + index) % 5 === 0).map((place) => place(core)),
  );
  return { ...plain, placed };
}

export const hostileVectors = (leak?: string): string[] => [...new Set(Object.values(vectorFamilies(leak)).flat())];

/** About `count` of them, the same ones each time, in equal distances. */
export function someVectors(count: number, leak?: string): string[] {
  const all = hostileVectors(leak);
  return every(all, Math.max(1, Math.floor(all.length / count)));
}

function every<T>(list: readonly T[], distance: number): T[] {
  return list.filter((_, index) => index % distance === 0);
}
