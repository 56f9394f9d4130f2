import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PageLimits } from '../../../server/journal/history-page.ts';
import type { Journal } from '../../../server/journal/journal.ts';
import { type JournalOptions, openJournal } from '../../../server/journal/open-journal.ts';
import type { SessionId } from '../../../shared/ids.ts';
import {
  conversation,
  growth,
  item,
  LATER,
  message,
  SESSION,
  turn,
  turnChange,
} from '../../support/journal/kept-entries.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const OTHER: SessionId = 'codex:other';

/** Fails the test on any warning or trouble. */
async function open(options: Partial<JournalOptions> = {}): Promise<Journal> {
  const complain = (text: string) => expect.unreachable(text);
  const journal = await openJournal({
    dataDir: scratchDirectory(),
    thread: 'here',
    warn: complain,
    onTrouble: complain,
    ...options,
  });
  onTestFinished(() => journal.close());
  return journal;
}

describe.each(['here', 'worker'] as const)('a journal, its database %s', (thread) => {
  it('keep/journal gives back what was recorded, in another run as well', async () => {
    const dataDir = scratchDirectory();
    const first = await open({ dataDir, thread });
    expect(await first.open(SESSION)).toBeUndefined();
    expect(await first.read(SESSION)).toEqual({ entries: [], turns: [] });

    const entries = [message('t1', 'user'), message('t1', 1, { status: 'error', errorCode: 'SERVER_STOPPED' })];
    const turns = [turn('t1', { receipt: 'requested', usage: { inputTokens: 1, outputTokens: 2 } })];
    first.record(SESSION, [...turns.map(turnChange), ...entries.map((entry, index) => item(entry, index))]);
    const kept = await first.open(SESSION);
    expect(kept).toEqual({
      page: { entries, turns, more: false },
      nextPosition: 2,
      stamp: undefined,
      hasUnfinished: false,
      hasCompleted: true,
    });
    await first.close();

    const second = await open({ dataDir, thread });
    expect(await second.open(SESSION)).toEqual(kept);
    expect(await second.read(SESSION)).toEqual({ entries, turns });
    expect(await second.hasTurn(SESSION, 't1')).toBe(true);
    expect(await second.hasTurn(SESSION, 't2')).toBe(false);
    expect(await second.hasTurn(OTHER, 't1')).toBe(false);
    expect(await second.size()).toEqual({ bytes: expect.any(Number), items: 2 });
  });

  it('keep/journal reads see what was recorded before them', async () => {
    const journal = await open({ thread });
    for (let index = 0; index < 20; index += 1) {
      journal.record(SESSION, [item(message('t1', index), index)]);
      if (index % 3 === 0) void journal.durable();
      const read = journal.read(SESSION);
      journal.record(SESSION, [item(message('later', index), 100 + index)]);
      const { entries } = await read;
      expect(entries.filter(({ turnId }) => turnId === 't1')).toHaveLength(index + 1);
    }
  });

  it('keep/journal replaces and removes a conversation as a whole', async () => {
    const dataDir = scratchDirectory();
    const journal = await open({ dataDir, thread });
    journal.record(SESSION, [turnChange(turn('gone')), item(message('gone', 1, { status: 'update' }), 0)]);
    journal.record(SESSION, [growth('gone:0:1', 0, 'x')]);
    journal.record(OTHER, [item(message('stays', 1, { sessionId: OTHER }), 0)]);
    const next = conversation(3, 2);

    await journal.replace(SESSION, next, 'a stamp');
    expect(await journal.read(SESSION)).toEqual(next);
    expect(await journal.open(SESSION)).toMatchObject({ stamp: 'a stamp', nextPosition: 6, hasUnfinished: false });
    journal.record(SESSION, [item(message('turn-2', 9), 6)]);
    expect((await journal.read(SESSION)).entries).toHaveLength(7);

    await journal.remove(SESSION);
    expect(await journal.open(SESSION)).toBeUndefined();
    expect(await journal.hasTurn(SESSION, 'turn-1')).toBe(false);
    expect((await journal.read(OTHER)).entries).toHaveLength(1);
    expect((await journal.size()).items).toBe(1);
  });
});

it('keep/journal what was recorded is on disk half a second later, without a further call', async () => {
  const clock = createManualClock();
  const dataDir = scratchDirectory();
  const journal = await open({ dataDir, clock });
  journal.record(SESSION, [item(message('t1', 1), 0)]);
  clock.advance(499);
  expect(clock.pending).toBe(1);
  clock.advance(1);
  expect(clock.pending).toBe(0);
  await journal.durable();
});

it('keep/journal the text of an unfinished item grows, and ends with the item', async () => {
  const dataDir = scratchDirectory();
  const journal = await open({ dataDir });
  const text = { status: 'update', content: 'One' } as const;
  journal.record(SESSION, [item(message('t1', 1, text), 0)]);
  journal.record(SESSION, [growth('t1:0:1', 3, ', two')]);
  await journal.durable();
  journal.record(SESSION, [growth('t1:0:1', 8, ', three \0\ud800')]);
  journal.record(SESSION, [growth('t1:0:1', 18, '\udc00 🐢')]);
  await journal.close();

  const again = await open({ dataDir });
  const grown = { ...text, content: 'One, two, three \0\ud800\udc00 🐢', emittedAt: LATER };
  expect((await again.read(SESSION)).entries).toEqual([message('t1', 1, grown)]);
  expect((await again.open(SESSION))?.hasUnfinished).toBe(true);

  again.record(SESSION, [item(message('t1', 1, { content: 'Done' }), 0)]);
  again.record(SESSION, [growth('t1:0:1', 4, ' and dusted')]);
  await again.durable();
  again.record(SESSION, [growth('t1:0:1', 15, ' late')]);
  const { entries } = await again.read(SESSION);
  expect(entries).toEqual([message('t1', 1, { content: 'Done and dusted', emittedAt: LATER })]);
  expect((await again.open(SESSION))?.hasUnfinished).toBe(false);
});

it('keep/journal a growth that does not fit what is there is ignored, one that is repeated changes nothing', async () => {
  const journal = await open();
  journal.record(SESSION, [item(message('t1', 1, { status: 'update', content: 'abc' }), 0)]);
  await journal.durable();
  for (const [at, text] of [
    [3, 'def'],
    [3, 'def'],
    [3, 'defg'],
    [9, 'gap'],
    [0, ''],
  ] as const) {
    if (text === '') continue;
    journal.record(SESSION, [growth('t1:0:1', at, text)]);
    await journal.durable();
  }
  journal.record(SESSION, [growth('unknown', 0, 'nobody')]);
  expect((await journal.read(SESSION)).entries).toMatchObject([{ content: 'abcdefg' }]);
});

it('keep/journal a turn that is forgotten takes its items along', async () => {
  const journal = await open();
  const recordBoth = () =>
    journal.record(SESSION, [
      turnChange(turn('t1')),
      item(message('t1', 'user'), 0),
      turnChange(turn('t2', { status: 'running' })),
      item(message('t2', 'user', { status: 'update' }), 1),
    ]);
  for (const isWritten of [false, true]) {
    recordBoth();
    if (isWritten) await journal.durable();
    journal.record(SESSION, [{ kind: 'forget-turn', turnId: 't2' }]);
    expect(await journal.read(SESSION)).toEqual({ entries: [message('t1', 'user')], turns: [turn('t1')] });
    expect(await journal.hasTurn(SESSION, 't2')).toBe(false);
    expect((await journal.open(SESSION))?.hasUnfinished).toBe(false);
  }
  journal.record(SESSION, [turnChange(turn('t2'))]);
  expect(await journal.hasTurn(SESSION, 't2')).toBe(true);
});

it('keep/journal ids may hold anything', async () => {
  const journal = await open();
  const ids = [
    '"quoted"',
    'with \0 inside',
    'with \0 outside',
    'lone \ud800',
    'lone \udc00',
    '🐢',
    "it's; DROP TABLE items",
  ];
  const entries = ids.map((turnId) => message(turnId, 'user'));
  await journal.replace(SESSION, { entries, turns: ids.map((id) => turn(id)) }, undefined);

  expect(await journal.read(SESSION)).toEqual({ entries, turns: ids.map((id) => turn(id)) });
  for (const id of ids) expect(await journal.hasTurn(SESSION, id)).toBe(true);
  expect((await journal.page(SESSION, `${ids[3]}:user`))?.entries).toEqual(entries.slice(0, 3));
});

it('keep/journal an item without a position keeps the one it has, a new one comes last', async () => {
  const journal = await open();
  journal.record(SESSION, [item(message('t1', 1), 5), item(message('t1', 2), 2)]);
  await journal.durable();
  journal.record(SESSION, [item(message('t1', 2, { content: 'changed' })), item(message('t1', 3))]);

  const { entries } = await journal.read(SESSION);
  expect(entries.map(({ itemId }) => itemId)).toEqual(['t1:0:2', 't1:0:1', 't1:0:3']);
  expect((await journal.open(SESSION))?.nextPosition).toBe(7);
});

describe('pages', () => {
  const limits: PageLimits = { entries: 10, content: 10_000, minEntries: 2 };

  it('keep/journal put together are the whole conversation, whatever the limits', async () => {
    const whole = conversation(97, 11);
    const journal = await open();
    await journal.replace(SESSION, whole, undefined);
    const sizes: PageLimits[] = [limits, { entries: 1_000, content: 100, minEntries: 3 }, { ...limits, entries: 300 }];
    for (const size of sizes) {
      const newest = (await journal.open(SESSION, size))?.page;
      const entries = [...(newest?.entries ?? [])];
      let more = newest?.more;
      while (more) {
        const page = await journal.page(SESSION, entries[0]?.itemId ?? '', size);
        expect(page?.turns.map(({ turnId }) => turnId)).toEqual([...new Set(page?.entries.map((of) => of.turnId))]);
        entries.unshift(...(page?.entries ?? []));
        more = page?.more;
      }
      expect(entries).toEqual(whole.entries);
    }
    expect(await journal.page(SESSION, 'unknown')).toBeUndefined();
    expect(await journal.page(OTHER, 'turn-0:user')).toBeUndefined();
    expect(await journal.page(SESSION, 'turn-0:user')).toEqual({ entries: [], turns: [], more: false });
  });

  it('keep/journal the newest has the turns that run and those without entries, in the order in which they began', async () => {
    const journal = await open();
    const { entries, turns } = conversation(20, 5);
    const all = turns.map((of, index) => (index === 2 ? { ...of, status: 'running' as const } : of));
    await journal.replace(SESSION, { entries, turns: [...all, turn('bare', { status: 'error' })] }, undefined);

    const page = (await journal.open(SESSION, limits))?.page;
    expect(page?.turns.map(({ turnId }) => turnId)).toEqual(['turn-2', 'turn-18', 'turn-19', 'bare']);
    expect((await journal.page(SESSION, 'turn-18:user', limits))?.turns.map(({ turnId }) => turnId)).toEqual([
      'turn-16',
      'turn-17',
    ]);
    journal.record(SESSION, [item(message('bare', 1), 1_000)]);
    expect((await journal.open(SESSION, limits))?.page.turns).toContainEqual(turn('bare', { status: 'error' }));
    const older = await journal.page(SESSION, 'turn-2:user', limits);
    expect(older?.turns.map(({ turnId }) => turnId)).toEqual(['turn-0', 'turn-1']);
  });
});

it('keep/journal changes that cannot be written do not keep those of other sessions out', async () => {
  const warnings: string[] = [];
  const journal = await open({ warn: (text) => warnings.push(text) });
  journal.record(OTHER, [item(message('good', 1, { sessionId: OTHER }), 0)]);
  journal.record(SESSION, [{ kind: 'item', upsert: message('bad', 1), position: 0, seq: Number.NaN }]);

  await expect(journal.durable()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(warnings).toEqual([expect.stringContaining(SESSION)]);
  expect((await journal.read(OTHER)).entries).toHaveLength(1);
  expect((await journal.read(SESSION)).entries).toEqual([]);
  await journal.durable();
});

it('keep/journal a closed journal says so', async () => {
  const journal = await open();
  await journal.close();
  journal.record(SESSION, [item(message('t1', 1), 0)]);

  for (const asked of [journal.durable(), journal.read(SESSION), journal.remove(SESSION), journal.size()]) {
    await expect(asked).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: expect.stringContaining('closed') });
  }
});

it('keep/journal a data directory that is gone is trouble, not a crash', async () => {
  const dataDir = scratchDirectory();
  const troubles: string[] = [];
  const journal = await open({ dataDir, onTrouble: (text) => troubles.push(text) });
  rmSync(dataDir, { recursive: true });
  journal.record(SESSION, [item(message('t1', 1), 0)]);

  await expect(journal.durable()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  await expect(journal.read(SESSION)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(troubles).toHaveLength(1);
  await expect(journal.close()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
});
