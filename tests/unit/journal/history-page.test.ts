import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PageLimits, pageBefore } from '../../../server/journal/history-page.ts';
import type { TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';

const at = '2025-01-01T00:00:00.000Z';

function entry(turnId: string, index: number, content = 'text'): UpsertObject {
  const facts = { sessionId: 'codex:a', turnId, itemId: `${turnId}:${index}:0`, sourceTimestamp: at, emittedAt: at };
  return { ...facts, type: 'message', origin: 'agent', status: 'complete', content };
}

/** Turns with these many entries each. */
const conversation = (...sizes: readonly number[]): UpsertObject[] =>
  sizes.flatMap((size, turn) => Array.from({ length: size }, (_, index) => entry(`t${turn}`, index)));

const summary = (turnId: string, status: TurnSummary['status'] = 'completed'): TurnSummary => ({
  turnId,
  status,
  startedAt: at,
});

const ids = (entries: readonly UpsertObject[]) => entries.map(({ itemId }) => itemId);

/** All pages from the newest to the oldest. */
function pagesOf(entries: readonly UpsertObject[], turns: readonly TurnSummary[], limits?: PageLimits) {
  const pages = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = pageBefore(entries, turns, before, limits);
    if (page === undefined) throw new Error('There is no such page.');
    pages.push(page);
    more = page.more;
    before = page.entries[0]?.itemId;
  }
  return pages;
}

describe('engine/pages a page', () => {
  it('engine/pages has everything where that fits', () => {
    const entries = conversation(3, 4);
    expect(pageBefore(entries, [])).toEqual({ entries, turns: [], more: false });
    expect(pageBefore([], [])).toEqual({ entries: [], turns: [], more: false });
  });

  it('engine/pages has at most 1,000 entries, the newest first', () => {
    const entries = conversation(...Array.from({ length: 250 }, () => 10));
    const pages = pagesOf(entries, []);

    expect(pages.map((page) => page.entries.length)).toEqual([1_000, 1_000, 500]);
    expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
    expect(pages.toReversed().flatMap((page) => ids(page.entries))).toEqual(ids(entries));
  });

  it('engine/pages has about 1 MiB of content, but 50 entries however large they are', () => {
    const large = (count: number, size: number) =>
      Array.from({ length: count }, (_, index) => entry(`t${index}`, 0, 'x'.repeat(size)));

    expect(pageBefore(large(500, 10_000), [])?.entries).toHaveLength(104);
    expect(pageBefore(large(60, 100_000), [])?.entries).toHaveLength(50);
  });

  it('engine/pages counts the arguments, output and diffs of a tool call', () => {
    const call = (index: number): UpsertObject => ({
      ...entry(`t${index}`, 0),
      type: 'tool_call',
      toolName: 'Edit',
      callId: `c${index}`,
      toolArguments: { nested: [{ text: 'x'.repeat(4_000) }] },
      toolOutput: 'x'.repeat(4_000),
      diffs: [{ path: 'a', oldText: null, newText: 'x'.repeat(2_000) }],
    });

    const page = pageBefore(
      Array.from({ length: 500 }, (_, index) => call(index)),
      [],
    );

    expect(page?.entries).toHaveLength(104);
  });

  it('engine/pages begins with a turn where that is possible, and inside of one that is larger than a page', () => {
    expect(ids(pageBefore(conversation(700, 700), [])?.entries ?? [])[0]).toBe('t1:0:0');
    expect(ids(pageBefore(conversation(990, 40), [])?.entries ?? [])[0]).toBe('t0:30:0');
    const [newest, older] = pagesOf(conversation(1_500), []);
    expect([newest?.entries.length, older?.entries.length]).toEqual([1_000, 500]);
  });

  it('engine/pages has the turns of its entries; the newest also those that run or have no entries', () => {
    const entries = conversation(...Array.from({ length: 30 }, () => 100));
    const turns = [summary('t0', 'running'), summary('t1'), summary('t29'), summary('t30')];
    const pages = pagesOf(entries, turns);

    expect(pages[0]?.turns.map(({ turnId }) => turnId)).toEqual(['t0', 't29', 't30']);
    expect(pages.at(-1)?.turns.map(({ turnId }) => turnId)).toEqual(['t0', 't1']);
  });

  it('engine/pages is none before an entry that is not known, and empty before the first', () => {
    const entries = conversation(3);
    expect(pageBefore(entries, [], 'unknown')).toBeUndefined();
    expect(pageBefore(entries, [], 't0:0:0')).toEqual({ entries: [], turns: [], more: false });
  });

  it('engine/pages together are the conversation, in order and without doubles, whatever the sizes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30), { maxLength: 40 }),
        fc.record({ entries: fc.integer({ min: 3, max: 40 }), content: fc.nat(400), minEntries: fc.constant(2) }),
        (sizes, limits) => {
          const entries = conversation(...sizes);
          const turns = sizes.map((_, turn) => summary(`t${turn}`));
          const pages = pagesOf(entries, turns, limits);

          expect(pages.toReversed().flatMap((page) => ids(page.entries))).toEqual(ids(entries));
          for (const page of pages) expect(page.entries.length).toBeLessThanOrEqual(limits.entries);
          const told = new Set(pages.flatMap((page) => page.turns.map(({ turnId }) => turnId)));
          expect(told.size).toBe(turns.length);
        },
      ),
    );
  });
});
