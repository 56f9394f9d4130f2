import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFolders } from '../../../server/found/walk.ts';
import { writeManyTranscripts } from '../../support/found/many-transcripts.ts';
import { createHomes, createRows, createSearchRig, type Homes, listingsOf } from '../../support/found/search-rig.ts';
import { AT, writeRollout, writeTranscript } from '../../support/found/transcripts.ts';

const COUNT = 200;

describe.each(['here', 'worker'] as const)('in the thread: %s', (thread) => {
  it('follow/list everything is found, and after a restart nothing is read again', async () => {
    const homes = createHomes();
    const directories = Array.from({ length: 5 }, (_, index) => join(homes.home, 'work', `p${index}`));
    writeManyTranscripts({ ...homes, count: COUNT, directories });
    const rows = createRows();
    const first = createSearchRig(homes, rows, thread);
    await first.search.start();

    expect(first.catalogue.sessions()).toHaveLength(2 * COUNT);
    expect(first.catalogue.sessions().filter(({ isRun }) => isRun)).toHaveLength((2 * COUNT) / 10);
    expect(new Set(first.catalogue.sessions().map(({ cwd }) => cwd)).size).toBe(5);
    expect(rows.all.size).toBe(2 * COUNT);
    expect(first.problems).toEqual([]);
    await first.search.close();

    const later = createSearchRig(homes, rows, thread);
    const known = later.next();
    const looked = later.search.start();
    await known;
    expect(later.catalogue.sessions().length).toBeGreaterThan(0);
    await looked;
    expect(later.catalogue.sessions()).toEqual(first.catalogue.sessions());
    expect(later.changed).toEqual([]);
  });
});

it('follow/list each folder is watched once, whatever it holds', async () => {
  const homes = createHomes();
  const directories = [join(homes.home, 'a'), join(homes.home, 'b')];
  writeManyTranscripts({ ...homes, count: COUNT, directories });
  const { search, watches } = createSearchRig(homes, createRows());
  await search.start();

  const folders = listingsOf(homes).flatMap(({ listing }) => listFolders(listing));
  expect(folders).toHaveLength(3 + 1 + 1 + 7 + COUNT);
  expect(watches.count()).toBe(folders.length);
});

it('follow/list a file that changed since the last run is read again, and one that is gone is forgotten', async () => {
  const homes = createHomes();
  const [changed, gone] = ['one', 'two'].map((prompt) => writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt }));
  const rollout = writeRollout(homes.codexHome, { cwd: '/work/a', prompt: 'three' });
  const rows = createRows();
  const first = createSearchRig(homes, rows);
  await first.search.start();
  await first.search.close();

  appendFileSync(changed ?? '', `${JSON.stringify({ type: 'custom-title', customTitle: 'Renamed' })}\n`);
  rmSync(gone ?? '');
  rmSync(rollout);
  const later = createSearchRig(homes, rows);
  await later.search.start();
  expect(later.titles()).toEqual(['Renamed']);
  expect([...rows.all.keys()]).toEqual([changed]);
});

it('follow/live new, changed and removed files are noticed, in new folders too, and only they are read', async () => {
  const homes = createHomes();
  const known = writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'known' });
  writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'left alone' });
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  rig.changed.length = 0;

  let noticed = rig.next();
  const added = writeTranscript(homes.claudeHome, { cwd: '/work/new', prompt: 'in a new folder' });
  expect((await noticed).added).toHaveLength(1);
  noticed = rig.next();
  writeRollout(homes.codexHome, { cwd: '/work/a', prompt: 'on a new day', at: '2027-01-02T00:00:00.000Z' });
  expect((await noticed).added).toHaveLength(1);

  noticed = rig.next();
  appendFileSync(known, `${JSON.stringify({ type: 'custom-title', customTitle: 'Renamed' })}\n`);
  expect((await noticed).changed).toHaveLength(1);
  noticed = rig.next();
  rmSync(added);
  expect((await noticed).gone).toHaveLength(1);
  await rig.search.settled();

  expect(rig.titles().toSorted()).toEqual(['Renamed', 'left alone', 'on a new day']);
  expect(new Set(rig.changed).size).toBe(3);
});

it('follow/list a title that was given stays when much is written after it', async () => {
  const homes = createHomes();
  const path = writeTranscript(homes.claudeHome, { cwd: '/work/a' });
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  let noticed = rig.next();
  appendFileSync(path, `${JSON.stringify({ type: 'custom-title', customTitle: 'Given' })}\n`);
  await noticed;
  noticed = rig.next();
  const timestamp = '2026-11-02T00:00:00.000Z';
  const row = { type: 'assistant', timestamp, message: { content: [{ type: 'text', text: 'x'.repeat(4_000) }] } };
  appendFileSync(path, `${JSON.stringify(row)}\n`.repeat(20));
  await noticed;

  expect(rig.catalogue.sessions()).toMatchObject([{ title: 'Given', lastMessageAt: timestamp }]);
});

it('follow/live a folder that is removed takes its sessions with it and is not watched any more', async () => {
  const homes = createHomes();
  writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'gone' });
  writeTranscript(homes.claudeHome, { cwd: '/work/b', prompt: 'stays' });
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  const before = rig.watches.count();

  const noticed = rig.next();
  rmSync(join(homes.claudeHome, 'projects', '-work-a'), { recursive: true });
  await noticed;
  await rig.search.settled();
  expect(rig.titles()).toEqual(['stays']);
  expect(rig.watches.count()).toBe(before - 1);
});

it('follow/list homes that do not exist are no problem', async () => {
  const homes = createHomes();
  rmSync(homes.claudeHome, { recursive: true });
  rmSync(homes.codexHome, { recursive: true });
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  expect([rig.titles(), rig.problems]).toEqual([[], []]);
});

it('follow/list a cache that cannot be read or written costs nothing but time', async () => {
  const homes = createHomes();
  writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'there' });
  const fail = () => Promise.reject(new Error('disk full'));
  const rig = createSearchRig(homes, { read: fail, write: fail });
  await rig.search.start();
  expect(rig.titles()).toEqual(['there']);
});

it('follow/list what another version of the rules made of a file is not used', async () => {
  const homes = createHomes();
  const path = writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'as it is' });
  const rows = createRows();
  const { size, mtimeMs } = statSync(path);
  const body = JSON.stringify({ nativeId: 'x', title: 'as it was' });
  await rows.write([{ path, stamp: `${size}:${mtimeMs}`, format: 'claude-code/0', body }], []);
  await rows.write([{ path: '/elsewhere/x.jsonl', stamp: '1:1', format: 'claude-code/1', body }], []);
  const rig = createSearchRig(homes, rows);
  await rig.search.start();
  expect(rig.titles()).toEqual(['as it is']);
  expect([...rows.all.keys()]).toEqual([path]);
});

it('follow/hostile folders that cannot be read do not keep the others out', async () => {
  const homes = createHomes();
  writeTranscript(homes.claudeHome, { cwd: '/work/a', prompt: 'there' });
  const folder = (name: string) => join(homes.claudeHome, 'projects', name);
  symlinkSync(folder('around'), folder('around'));
  symlinkSync(folder('missing'), folder('dangling'));
  symlinkSync('/dev/null', folder('device'));
  writeFileSync(folder('file'), 'x');
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  expect(rig.titles()).toEqual(['there']);
  expect(rig.problems).toEqual([]);
});

it('follow/never-written listing and following write nothing into the homes of the agents', async () => {
  const homes = createHomes();
  writeManyTranscripts({ ...homes, count: 20, directories: [join(homes.home, 'work')] });
  writeFileSync(join(homes.claudeHome, 'projects', 'stray'), 'x');
  const before = fingerprint(homes);
  const rig = createSearchRig(homes, createRows(), 'worker');
  await rig.search.start();
  expect(rig.catalogue.sessions()).toHaveLength(40);
  await rig.search.close();
  expect(fingerprint(homes)).toEqual(before);
});

it('follow/list of several files of a conversation the one with the newest message counts, until it is gone', async () => {
  const homes = createHomes();
  const id = '11111111-1111-4111-8111-111111111111';
  writeTranscript(homes.claudeHome, { cwd: '/work/a', id, prompt: 'older' });
  const newer = writeTranscript(homes.claudeHome, {
    cwd: '/work/b',
    id,
    prompt: 'newer',
    at: '2026-11-05T10:00:00.000Z',
  });
  const rig = createSearchRig(homes, createRows());
  await rig.search.start();
  expect(rig.catalogue.sessions()).toMatchObject([{ title: 'newer', cwd: '/work/b' }]);

  const noticed = rig.next();
  rmSync(newer);
  expect(await noticed).toEqual({ added: [], gone: [], changed: [`claude-code:${id}`] });
  expect(rig.catalogue.sessions()).toMatchObject([{ title: 'older', createdAt: AT }]);
});

function fingerprint({ claudeHome, codexHome }: Homes): string[] {
  return [claudeHome, codexHome].flatMap((home) =>
    ['.', ...readdirSync(home, { recursive: true, encoding: 'utf8' })].toSorted().map((name) => {
      const path = join(home, name);
      const { mtimeMs, ctimeMs } = statSync(path);
      const hash = statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
      return `${name} ${mtimeMs} ${ctimeMs} ${hash}`;
    }),
  );
}
