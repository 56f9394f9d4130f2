import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSessionStore, noSessions, sessionsFormat } from '../../../server/sessions/session-store.ts';
import { nodeFileSystem } from '../../../server/store/file-system.ts';
import { openJsonStore } from '../../../server/store/index.ts';
import type { SessionMeta } from '../../../shared/entities.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const SHOP = '11111111-1111-4111-8111-111111111111';
const BLOG = '22222222-2222-4222-8222-222222222222';

async function setUp(dataDir = scratchDirectory()) {
  const disk = { isFull: false };
  const fs = {
    ...nodeFileSystem,
    async rename(from: string, to: string) {
      if (disk.isFull) throw new Error('disk full');
      await nodeFileSystem.rename(from, to);
    },
  };
  const clock = createManualClock();
  const path = join(dataDir, 'sessions.json');
  const store = await openJsonStore({ ...sessionsFormat, defaults: noSessions, path, clock, fs });
  return { sessions: createSessionStore(store), store, dataDir, disk, clock };
}

function meta(id: string, facts: Partial<SessionMeta> = {}): SessionMeta {
  const time = '2025-01-01T10:00:00.000Z';
  const session = { cliType: 'claude-code', archived: false, title: id, lastActiveAt: time, createdAt: time };
  return { id: `claude-code:${id}`, projectId: SHOP, ...session, ...facts };
}

const titles = (list: readonly SessionMeta[]) => list.map(({ title }) => title);

test('mvp/TC-2.1a sessions of a project are listed with title, time and kind of agent', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('one'));
  await sessions.add(meta('two', { projectId: BLOG, cliType: 'codex' }));
  expect(sessions.list(SHOP)).toEqual([meta('one')]);
  expect(sessions.list(BLOG)).toMatchObject([{ title: 'two', cliType: 'codex', lastActiveAt: expect.any(String) }]);
});

test('mvp/TC-2.1b sessions are listed by their last activity, newest first, however the times are written', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('middle', { lastActiveAt: '2025-01-01T10:00:00Z' }));
  await sessions.add(meta('oldest', { lastActiveAt: '2025-01-01T09:59:59.999Z' }));
  await sessions.add(meta('newest', { lastActiveAt: '2025-01-01T10:00:00.001Z' }));
  expect(titles(sessions.list())).toEqual(['newest', 'middle', 'oldest']);
});

test('sessions that were active at the same time are listed by their creation, newest first', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('older', { createdAt: '2025-01-01T08:00:00.000Z' }));
  await sessions.add(meta('newer', { createdAt: '2025-01-01T09:00:00.000Z' }));
  expect(titles(sessions.list())).toEqual(['newer', 'older']);
});

test('mvp/TC-2.1c a project without sessions has an empty list', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('one'));
  expect(sessions.list(BLOG)).toEqual([]);
});

test('mvp/TC-2.4a an archived session is not listed, but known', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('one'));
  void sessions.update('claude-code:one', { archived: true });
  expect(sessions.list()).toEqual([]);
  expect(sessions.get('claude-code:one')).toEqual(meta('one', { archived: true }));
});

test('mvp/TC-2.5a sessions are there again after a restart, archived ones hidden', async () => {
  const { sessions, store, dataDir } = await setUp();
  await sessions.add(meta('one'));
  await sessions.add(meta('two'));
  void sessions.update('claude-code:two', { archived: true });
  await store.close();
  const restarted = await setUp(dataDir);
  expect(titles(restarted.sessions.list(SHOP))).toEqual(['one']);
});

test('a session that was added is on the disk', async () => {
  const { sessions, dataDir } = await setUp();
  await sessions.add(meta('one'));
  expect((await setUp(dataDir)).sessions.get('claude-code:one')).toEqual(meta('one'));
});

test('a session that could not be saved is not there', async () => {
  const { sessions, disk } = await setUp();
  disk.isFull = true;
  await expect(sessions.add(meta('one'))).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(sessions.get('claude-code:one')).toBeUndefined();
});

test('a session added again replaces the former, which comes back if that could not be saved', async () => {
  const { sessions, disk } = await setUp();
  await sessions.add(meta('one'));
  await sessions.add(meta('one', { title: 'second' }));
  expect(titles(sessions.list())).toEqual(['second']);
  disk.isFull = true;
  await expect(sessions.add(meta('one', { title: 'third' }))).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(titles(sessions.list())).toEqual(['second']);
});

test('a change is in force at once and on the disk half a second later', async () => {
  const { sessions, dataDir, clock } = await setUp();
  await sessions.add(meta('one'));
  const saved = sessions.update('claude-code:one', { title: 'Renamed' });
  expect(sessions.get('claude-code:one')?.title).toBe('Renamed');
  clock.advance(500);
  await saved;
  expect((await setUp(dataDir)).sessions.get('claude-code:one')?.title).toBe('Renamed');
});

test('a change that nobody waits for may fail to be saved', async () => {
  const { sessions, disk, clock } = await setUp();
  await sessions.add(meta('one'));
  disk.isFull = true;
  void sessions.update('claude-code:one', { title: 'Renamed' });
  clock.advance(500);
  await expect(sessions.updateNow('claude-code:one', { used: true })).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(sessions.get('claude-code:one')?.title).toBe('Renamed');
});

test('a change to an unknown session is an error', async () => {
  const { sessions } = await setUp();
  await expect(sessions.update('codex:nobody', { title: 'x' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

test('keep/pin a file of the last release opens, and its sessions are neither pinned nor renamed', async () => {
  const dataDir = scratchDirectory();
  const released = { version: 1, sessions: [{ ...meta('one'), used: true, seqCeiling: 100_000 }, meta('two')] };
  writeFileSync(join(dataDir, 'sessions.json'), JSON.stringify(released));

  const { sessions, store } = await setUp(dataDir);
  expect(store.movedAside).toBeUndefined();
  expect(sessions.list(SHOP)).toEqual(released.sessions);

  await sessions.updateNow('claude-code:two', { pinned: true, title: 'Chosen', titleChosen: true, titleUntold: true });
  const reopened = await setUp(dataDir);
  expect(titles(reopened.sessions.list(SHOP))).toEqual(['Chosen', 'one']);
  expect(JSON.parse(readFileSync(join(dataDir, 'sessions.json'), 'utf8')).version).toBe(1);
});

test('keep/archived-list archived sessions of a project are listed by themselves, pinned ones first', async () => {
  const { sessions } = await setUp();
  await sessions.add(meta('kept'));
  await sessions.add(meta('old', { archived: true, pinned: true }));
  await sessions.add(meta('new', { archived: true, lastActiveAt: '2025-01-02T10:00:00.000Z' }));
  await sessions.add(meta('other', { archived: true, projectId: BLOG }));
  expect(titles(sessions.listArchived(SHOP))).toEqual(['old', 'new']);
});

test('keep/delete a removed session is gone from disk, and stays if that fails', async () => {
  const { sessions, disk, dataDir } = await setUp();
  await sessions.add(meta('one'));
  await sessions.add(meta('two'));
  disk.isFull = true;
  await expect(sessions.remove('claude-code:one')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(sessions.get('claude-code:one')).toEqual(meta('one'));
  disk.isFull = false;
  await sessions.remove('claude-code:one');
  await sessions.remove('claude-code:one');
  expect(titles((await setUp(dataDir)).sessions.list())).toEqual(['two']);
});
