import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { toText } from '../../../server/store/to-text.ts';

const entry = z.object({ id: z.string(), more: z.array(z.object({ n: z.number() })).optional() });
const schema = z.object({ name: z.string().optional(), first: z.array(entry), second: z.array(entry) });

it('a store writes the same text as a serialiser would in one go', async () => {
  const list = fc.array(
    fc.record({ id: fc.string(), more: fc.array(fc.record({ n: fc.integer() })) }, { requiredKeys: ['id'] }),
  );
  await fc.assert(
    fc.asyncProperty(fc.record({ name: fc.string(), first: list, second: list }), async (value) => {
      expect(await toText({ version: 3, schema }, value)).toBe(
        `${JSON.stringify({ version: 3, ...value }, null, 2)}\n`,
      );
    }),
    { numRuns: 100 },
  );
});

it('a store does not write an entry that could not be read back', async () => {
  const value = { first: [{ id: 7 as unknown as string }], second: [] };
  await expect(toText({ version: 1, schema }, value)).rejects.toThrow();
});

it('safe/linear a store with very many entries is written while the server goes on', async () => {
  const first = Array.from({ length: 40_000 }, (_, index) => ({
    id: `entry ${index}`,
    more: [{ n: index }, { n: 1 }],
  }));
  let rounds = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; rounds += 1) await nextRound();
  })();

  const text = await toText({ version: 1, schema }, { first, second: [] });
  isOver = true;
  await counting;

  expect(JSON.parse(text).first).toHaveLength(40_000);
  expect(rounds).toBeGreaterThan(2);
});
