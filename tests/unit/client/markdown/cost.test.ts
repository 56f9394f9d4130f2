import { describe, expect, it } from 'vitest';
import { isCheap } from '../../../../client/shared/markdown/cost.ts';
import { parseBlocks } from '../../../../client/shared/markdown/parse-blocks.ts';
import { generateMarkdown } from '../../../fixtures/hostile/generated-texts.ts';
import { heavyMarkdown } from '../../../fixtures/hostile/heavy-texts.ts';
import { commonMarkExamples, ownExamples } from '../../../fixtures/markdown/examples.ts';
import { createRandom } from '../../../support/seeded-random.ts';

const TEXTS = Number(process.env.LIMINAL_HEAVY_TEXTS ?? 300);
/** In milliseconds of processor time. The page has 200 ms for everything. */
const LIMIT_MS = 60;

/** The best of three, because the first time includes compiling and collecting garbage. */
function parseTime(text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && best > LIMIT_MS / 4; round += 1) {
    const start = process.cpuUsage();
    parseBlocks(text);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

/** The texts that are parsed on the page although they take long. */
const slow = (texts: readonly string[]): string[] =>
  texts
    .filter(isCheap)
    .map((text) => [text, parseTime(text)] as const)
    .filter(([, ms]) => ms > LIMIT_MS)
    .map(([text, ms]) => `${ms} ms: ${JSON.stringify(text.slice(0, 200))}`);

describe('what is parsed on the page', () => {
  it('safe/frozen-text includes everything that agents usually write', () => {
    const usual = [...ownExamples, ...commonMarkExamples];
    expect(usual.filter((text) => !isCheap(text))).toEqual([]);
    expect(isCheap(ownExamples.join('\n\n').slice(0, 12_000))).toBe(true);
  });

  it('safe/frozen-text does not include the texts that are known to take long', () => {
    const known = [
      'descending quotes',
      'a table of a million cells',
      'short paragraphs',
      'emphasis runs',
      'lazy lists',
    ];
    expect(known.filter((name) => isCheap(heavyMarkdown[name] ?? ''))).toEqual([]);
  });

  it('safe/frozen-text is parsed quickly, however the known texts are cut', () => {
    const lengths = [200, 1_000, 3_000, 9_000, 30_000];
    expect(
      slow(Object.values(heavyMarkdown).flatMap((text) => lengths.map((length) => text.slice(0, length)))),
    ).toEqual([]);
  }, 120_000);

  it('safe/frozen-text is parsed quickly for generated texts', () => {
    const texts = Array.from({ length: TEXTS }, (_, seed) => generateMarkdown(createRandom(seed)));
    expect(texts.filter(isCheap).length).toBeGreaterThan(TEXTS / 10);
    expect(slow(texts)).toEqual([]);
  }, 3_600_000);
});
