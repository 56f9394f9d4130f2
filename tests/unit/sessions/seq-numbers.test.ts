import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStores } from '../../../server/open-stores.ts';
import { createSeqAllocator } from '../../../server/sessions/seq-numbers.ts';
import type { SessionMeta } from '../../../shared/entities.ts';
import { AppError } from '../../../shared/errors.ts';
import { createGate } from '../../support/gate.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

const sessionId = 'codex:a';

/** An allocator whose saves wait at a gate, with small blocks. */
function createRig(ceiling?: number) {
  const disk = createGate();
  const saved: number[] = [];
  const allocator = createSeqAllocator({
    ceilingOf: () => ceiling,
    async save(_sessionId, next) {
      await disk.pass();
      saved.push(next);
    },
    block: 4,
  });
  let readyCount = 0;
  const begin = () => allocator.begin(sessionId, () => (readyCount += 1));
  return { disk, saved, begin, allocator, readyCount: () => readyCount };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('engine/seq numbers', () => {
  it('engine/seq are not given before their block is saved', async () => {
    const { disk, saved, begin, readyCount } = createRig();
    disk.close();
    const numbers = begin();
    expect(numbers.last()).toBe(0);
    expect(numbers.canGive()).toBe(false);

    disk.open();
    await settled();

    expect(saved).toEqual([4]);
    expect(readyCount()).toBe(1);
    expect(numbers.canGive()).toBe(true);
  });

  it('engine/seq run on without a gap while the next block is saved in time', async () => {
    const { begin, saved } = createRig();
    const numbers = begin();
    const given: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      await settled();
      expect(numbers.canGive()).toBe(true);
      given.push(numbers.give());
    }

    expect(given).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(saved.at(-1)).toBeGreaterThanOrEqual(20);
    expect(saved.length).toBeLessThan(12);
  });

  it('engine/seq wait for a block that is not saved yet, and go on after it', async () => {
    const { disk, begin } = createRig();
    const numbers = begin();
    await settled();
    disk.close();
    while (numbers.canGive()) numbers.give();
    expect(numbers.last()).toBe(4);

    disk.open();
    await settled();

    expect(numbers.canGive()).toBe(true);
    expect(numbers.give()).toBe(5);
  });

  it('engine/seq go on above what an earlier run reserved', async () => {
    const { begin } = createRig(1_000);
    const numbers = begin();
    await settled();

    expect(numbers.last()).toBe(1_001);
    expect(numbers.give()).toBe(1_002);
  });

  it('engine/seq go on when a block cannot be saved', async () => {
    const allocator = createSeqAllocator({
      ceilingOf: () => undefined,
      save: () => Promise.reject(new AppError('STORAGE_FAILED')),
      block: 2,
    });
    const numbers = allocator.begin(sessionId, () => undefined);
    for (let expected = 1; expected <= 10; expected += 1) {
      await settled();
      expect(numbers.give()).toBe(expected);
    }
  });
});

/** The numbers of everything that was announced about a session, from `from` on. */
function numbersIn(rig: ServiceRig, of: string, from = 0): number[] {
  return rig
    .messages()
    .slice(from)
    .flatMap((message) => ('seq' in message && message.sessionId === of ? [message.seq] : []));
}

async function say(rig: ServiceRig, of: string, content: string): Promise<void> {
  const ended = rig.turnEnded(of);
  await rig.service.send({ sessionId: of, content });
  await ended;
}

const countedFrom = (first: number, numbers: readonly number[]) => numbers.map((_, index) => first + index);

describe('engine/seq the events of a session', () => {
  it('engine/seq are numbered 1, 2, 3 … in the order in which they are announced', async () => {
    const rig = await createServiceRig();
    const [one, two] = [await rig.createSession(), await rig.createSession()];
    await Promise.all([say(rig, one, 'think, use a tool'), say(rig, two, 'hello')]);

    for (const of of [one, two]) {
      const numbers = numbersIn(rig, of);
      expect(numbers.length).toBeGreaterThan(5);
      expect(numbers).toEqual(countedFrom(1, numbers));
      expect((await rig.history(of)).asOf).toBe(numbers.at(-1));
    }
  });

  it('engine/seq an event that changes nothing has no number', async () => {
    const rig = await createServiceRig();
    const of = await rig.createSession();
    await say(rig, of, 'hello');
    const { asOf, turns } = await rig.history(of);
    const turnId = turns[0]?.turnId ?? '';

    rig.agent.emitTurn({ type: 'turn_complete', turnId, sessionId: of, status: 'completed' });

    expect((await rig.history(of)).asOf).toBe(asOf);
  });

  it.each(['kill', 'evict'] as const)(
    'engine/seq are contiguous in one stay and never reused after a %s',
    async (how) => {
      const rig = await createServiceRig();
      const of = await rig.createSession();
      await say(rig, of, 'hello');
      const { asOf: before } = await rig.history(of);

      if (how === 'kill') await rig.service.kill({ sessionId: of });
      else rig.clock.advance(60_000);
      const from = rig.announcements.length;
      const { asOf } = await rig.history(of);
      await say(rig, of, 'again');

      expect(asOf).toBeGreaterThan(before);
      const numbers = numbersIn(rig, of, from);
      expect(numbers.length).toBeGreaterThan(3);
      expect(numbers).toEqual(countedFrom(asOf + 1, numbers));
    },
  );

  it('engine/seq are never reused by a server that starts after the last one was killed', async () => {
    const first = await createServiceRig();
    const of = await first.createSession();
    await say(first, of, 'hello');
    const used = numbersIn(first, of);
    // What is on the disk at this moment is all that the next server finds.
    const dataDir = join(scratchDirectory(), 'data');
    cpSync(first.dataDir, dataDir, { recursive: true });

    const stores = await openStores(dataDir, {
      warn: () => undefined,
      onError: () => undefined,
      journalThread: 'here',
    });
    const ceiling = stores.sessions.get(of)?.seqCeiling ?? 0;
    await stores.close();

    expect(ceiling).toBeGreaterThanOrEqual(Math.max(...used));
  });

  it('engine/seq begin at 1 for a session of an older version', async () => {
    const rig = await createServiceRig();
    const of = await rig.closedSession();
    const { seqCeiling: _, used: __, ...old } = rig.sessions.get(of) as SessionMeta;
    const id = 'claude-code:s-old';
    rig.agent.remember(id, []);
    await rig.sessions.add({ ...old, id });

    expect((await rig.history(id)).asOf).toBe(0);
    await say(rig, id, 'hello');

    const numbers = numbersIn(rig, id);
    expect(numbers).toEqual(countedFrom(1, numbers));
    expect(rig.sessions.get(id)?.seqCeiling).toBeGreaterThan(numbers.length);
  });

  it('engine/seq go on when the disk is full', async () => {
    const full = new AppError('STORAGE_FAILED');
    const rig = await createServiceRig({ sessions: (store) => ({ ...store, updateNow: () => Promise.reject(full) }) });
    const of = await rig.closedSession();
    const { seqCeiling: _, ...old } = rig.sessions.get(of) as SessionMeta;
    const id = 'claude-code:s-other';
    rig.agent.remember(id, []);
    await rig.sessions.add({ ...old, id });

    await say(rig, id, 'hello');

    const numbers = numbersIn(rig, id);
    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers).toEqual(countedFrom(1, numbers));
  });
});
