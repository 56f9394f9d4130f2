import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../server/deferred.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { conversation } from '../../support/agents/scripted-history.ts';
import { createServiceRig } from './service-rig.ts';

const SIZE = 5 * 1024 * 1024;
const pages = { entries: 10, content: 1e6, minEntries: 1 };

/** A session that was never opened here. Its file is large, and reading all of it waits for `release`. */
async function largeSession(size = SIZE) {
  const rig = await createServiceRig({ sessionLimits: { pages } });
  const sessionId = await rig.closedSession();
  await rig.sessions.updateNow(sessionId, { used: true });
  await rig.journal.remove(sessionId);
  const exchanges = Array.from({ length: 30 }, (_, index) => [`q${index}`, `a${index}`] as const);
  const history = conversation(sessionId, ...exchanges);
  rig.agent.remember(sessionId, history);
  const folder = join(rig.directory, 'agent');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${fromCanonical(sessionId).nativeId}.jsonl`);
  writeFileSync(path, '');
  truncateSync(path, size);
  const stamp = await rig.agent.historyStamp(sessionId, rig.project.path);
  rig.agent.newest = { history: history.slice(-8), isWhole: false, stamp };
  const { readHistory } = rig.agent;
  const gate = createDeferred();
  let reads = 0;
  rig.agent.readHistory = async (...args) => {
    reads += 1;
    await gate.promise;
    return readHistory(...args);
  };
  return { rig, sessionId, history, release: gate.resolve, gate, reads: () => reads };
}

describe('a session with a large file', () => {
  it('follow/large shows its newest page before the rest is read, and then stays as it is', async () => {
    const { rig, sessionId, history, release } = await largeSession();
    const newest = await rig.history(sessionId);
    expect(newest).toMatchObject({ more: true });
    expect(newest.entries).toEqual(history.slice(-8));
    const from = rig.announcements.length;
    const older = rig.service.items({ sessionId, before: newest.entries[0]?.itemId ?? '' });
    release();
    expect((await older).entries).toEqual(history.slice(-18, -8));
    const shown = rig
      .messages()
      .slice(from)
      .filter(({ type }) => type === 'session:history');
    expect(shown.length).toBeLessThanOrEqual(1);
    expect((await rig.history(sessionId)).entries).toEqual(history.slice(-10));
    expect((await rig.journal.read(sessionId)).entries).toEqual(history);
  });

  it('follow/large lets messages and exports wait for the rest', async () => {
    const { rig, sessionId, history, release } = await largeSession();
    await rig.history(sessionId);
    const ended = rig.turnEnded(sessionId);
    const sent = rig.service.send({ sessionId, content: 'again' });
    const read = rig.service.read(sessionId);
    for (let round = 0; round < 50; round += 1) await new Promise(setImmediate);
    expect(rig.methods(sessionId)).not.toContain('send');
    release();
    const { session } = await read;
    expect(session.history().entries.length).toBeGreaterThan(8);
    await sent;
    await ended;
    const { entries } = await rig.journal.read(sessionId);
    expect(entries.slice(0, -2)).toEqual(history);
  });

  it('follow/large a rest that cannot be read fails what needs it, and is tried again', async () => {
    const { rig, sessionId, gate } = await largeSession();
    const newest = await rig.history(sessionId);
    const before = newest.entries[0]?.itemId ?? '';
    gate.reject(new Error('It cannot be read.'));
    await expect(rig.service.items({ sessionId, before })).rejects.toThrow('It cannot be read.');
    rig.agent.readHistory = async () => ({ history: conversation(sessionId, ['q', 'a']) });
    await expect(rig.service.items({ sessionId, before })).rejects.toMatchObject({ code: 'ITEM_NOT_FOUND' });
    expect((await rig.history(sessionId)).entries).toHaveLength(2);
  });

  it('follow/large is read at once where the file is small', async () => {
    const { rig, sessionId, reads } = await largeSession(1_000);
    expect((await rig.history(sessionId)).entries).toHaveLength(10);
    expect(reads()).toBe(0);
  });

  it('follow/large that we keep is not read again as a whole; what is new in it is followed', async () => {
    const { rig, sessionId, release, reads } = await largeSession();
    release();
    await rig.history(sessionId);
    await rig.service.read(sessionId);
    rig.clock.advance(60_000);
    await rig.service.kill({ sessionId });
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    const all = [...(rig.transcripts.get(sessionId)?.values() ?? [])];
    rig.agent.newest = { history: all.slice(-10), isWhole: false, stamp: 'next' };
    const before = reads();
    await rig.history(sessionId);
    await expect.poll(rig.terminal.watches.count).toBe(1);
    rig.clock.advance(100);
    await expect.poll(async () => JSON.stringify((await rig.history(sessionId)).entries)).toContain('answered there');
    expect(reads()).toBe(before);
    expect((await rig.journal.read(sessionId)).entries).toEqual(all);
  });
});
