import { describe, expect, it } from 'vitest';
import { readForward } from '../../../server/export/conversation.ts';
import { exportedSessionSchema } from '../../../server/export/exported-session.ts';
import { writeJson } from '../../../server/export/write-json.ts';
import { variedConversation } from '../../support/agents/varied-conversation.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { head, sourceOf, textOf } from './conversation-source.ts';

const kept = (turns: number) => variedConversation('claude-code:s1', turns, createRandom(turns));
const limits = (entries: number) => ({ entries, content: 1e9, minEntries: 1 });

describe('keep/export the whole conversation', () => {
  it.each([1, 2, 3, 4, 5, 7, 100, 1_000])('is read from its beginning, in pages of %d entries', async (entries) => {
    const { entries: wanted, turns } = kept(12);
    const found = [];
    const known = new Map();
    for await (const part of readForward(sourceOf({ entries: wanted, turns }, limits(entries)))) {
      found.push(...part.entries);
      for (const turn of part.turns) known.set(turn.turnId, turn);
    }
    expect(found).toEqual(wanted);
    expect([...known.values()]).toEqual(turns);
  });

  it('may be empty', async () => {
    const parts = [];
    for await (const part of readForward(sourceOf({ entries: [], turns: [] }))) parts.push(part.entries);
    expect(parts).toEqual([[]]);
  });

  it('is read twice at most, and one page is in memory at a time', async () => {
    const source = sourceOf(kept(5_000), limits(1_000));
    const sizes = [];
    for await (const { entries } of readForward(source)) sizes.push(entries.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(source.pages()).toBeLessThanOrEqual(2 * sizes.length);
  });

  it('is complete and without repetition where pages are cut elsewhere while it is read', async () => {
    const { entries, turns } = kept(12);
    const small = sourceOf({ entries, turns }, limits(3));
    const large = sourceOf({ entries, turns }, limits(9));
    for (const [first, second] of [
      [small, large],
      [large, small],
    ] as const) {
      let isFirst = true;
      const found = [];
      const changing = {
        newest: first.newest,
        before: (itemId: string) => (isFirst ? first : second).before(itemId),
      };
      const reading = readForward({
        ...changing,
        async before(itemId) {
          const page = await changing.before(itemId);
          if (page?.more === false) isFirst = false;
          return page;
        },
      });
      for await (const part of reading) found.push(...part.entries);
      expect(found).toEqual(entries);
    }
  });
});

describe('keep/export JSON', () => {
  it('has everything as it is kept and can be read back', async () => {
    const { entries, turns } = kept(30);
    const text = await textOf(writeJson(head, readForward(sourceOf({ entries, turns }, limits(7)))));

    const exported = exportedSessionSchema.parse(JSON.parse(text));

    expect(exported).toEqual({
      format: 'liminal-builder-session',
      version: 1,
      exportedAt: head.exportedAt,
      session: { ...head.session, projectPath: head.projectPath },
      entries,
      turns,
    });
  });

  it('has one entry a line', async () => {
    const { entries, turns } = kept(3);
    const lines = (await textOf(writeJson(head, readForward(sourceOf({ entries, turns }))))).split('\n');
    expect(JSON.parse((lines[1] ?? '').replace(/,$/, ''))).toEqual(entries[0]);
    expect(JSON.parse(await textOf(writeJson(head, readForward(sourceOf({ entries: [], turns: [] })))))).toMatchObject({
      entries: [],
      turns: [],
    });
  });
});
