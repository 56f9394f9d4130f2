import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { nodeFileSystem, type StoreFileSystem } from '../../../server/store/file-system.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { type CountData, countPath, openCountStore } from '../../support/store/counting-store.ts';

const readCount = (directory: string): unknown => JSON.parse(readFileSync(countPath(directory), 'utf8')).count;
const withCount = (count: number): CountData => ({ count, ballast: '' });

describe('reading', () => {
  test('a store without a file starts with its defaults and writes nothing', async () => {
    const directory = scratchDirectory();
    const store = await openCountStore(directory);
    await store.close();
    expect(store.read()).toEqual({ count: 0, ballast: '' });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a store that is opened again has the written value', async () => {
    const directory = scratchDirectory();
    const first = await openCountStore(directory);
    void first.write({ count: 7, ballast: 'żółw' });
    await first.close();
    expect((await openCountStore(directory)).read()).toEqual({ count: 7, ballast: 'żółw' });
  });

  test('a file of a newer version is rejected and not touched', async () => {
    const directory = scratchDirectory();
    const text = '{"version":3,"count":"a format we cannot know"}';
    writeFileSync(countPath(directory), text);
    await expect(openCountStore(directory)).rejects.toMatchObject({
      code: 'SERVER_NEWER_DATA',
      details: { found: 3, known: 2 },
    });
    expect(readFileSync(countPath(directory), 'utf8')).toBe(text);
    expect(readdirSync(directory)).toEqual(['count.json']);
  });

  test('a file of an older version is migrated and saved in the new format', async () => {
    const directory = scratchDirectory();
    writeFileSync(countPath(directory), '{"version":1,"number":5}');
    const store = await openCountStore(directory, {
      migrations: { 1: ({ number }) => ({ count: number, ballast: '' }) },
    });
    expect(store.read()).toEqual(withCount(5));
    await store.close();
    expect(JSON.parse(readFileSync(countPath(directory), 'utf8'))).toEqual({ version: 2, count: 5, ballast: '' });
  });

  test('a file that cannot be read is an error and stays where it is', async () => {
    const directory = scratchDirectory();
    mkdirSync(countPath(directory));
    await expect(openCountStore(directory)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(readdirSync(directory)).toEqual(['count.json']);
  });
});

describe('an invalid file', () => {
  test.each([
    ['is empty', ''],
    ['is not JSON', '{"version":2,'],
    ['is not an object', '[]'],
    ['has no version', '{"count":1,"ballast":""}'],
    ['has a version that never was', '{"version":0,"count":1,"ballast":""}'],
    ['has a version without a migration', '{"version":1,"count":1,"ballast":""}'],
    ['does not fit the schema', '{"version":2,"count":"one","ballast":""}'],
    ['is not UTF-8', Buffer.from('{"version":2,"count":1,"ballast":"\xff"}', 'latin1')],
  ])('that %s is moved aside with the reason, and the store starts with its defaults', async (_, contents) => {
    const directory = scratchDirectory();
    writeFileSync(countPath(directory), contents);
    const store = await openCountStore(directory, { clock: createManualClock() });
    expect(store.read()).toEqual(withCount(0));

    const aside = join(directory, 'count.json.corrupt-2025-01-01T00-00-00.000Z');
    expect(store.movedAside).toEqual({ path: aside, reason: expect.stringMatching(/\w/) });
    expect(readFileSync(aside)).toEqual(Buffer.from(contents));
    expect(readFileSync(`${aside}.reason.txt`, 'utf8')).toBe(`${store.movedAside?.reason}\n`);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  test('does not replace one that was moved aside at the same time', async () => {
    const directory = scratchDirectory();
    for (const contents of ['one', 'two', 'three']) {
      writeFileSync(countPath(directory), contents);
      await openCountStore(directory, { clock: createManualClock() });
    }
    const asides = readdirSync(directory).filter((name) => !name.endsWith('.txt'));
    expect(asides.map((name) => readFileSync(join(directory, name), 'utf8')).sort()).toEqual(['one', 'three', 'two']);
  });

  test('that fails in a migration is moved aside', async () => {
    const directory = scratchDirectory();
    writeFileSync(countPath(directory), '{"version":1}');
    const fail = () => {
      throw new Error('no count');
    };
    const store = await openCountStore(directory, { migrations: { 1: fail } });
    expect(store.movedAside?.reason).toContain('no count');
  });
});

describe('writing', () => {
  test('changes are saved half a second after the first unsaved one, however many follow', async () => {
    const directory = scratchDirectory();
    const clock = createManualClock();
    const store = await openCountStore(directory, { clock });
    const writes = [1, 2, 3, 4, 5].map((count) => {
      const write = store.write(withCount(count));
      clock.advance(99);
      return write;
    });
    expect(readdirSync(directory)).toEqual([]);
    clock.advance(5);
    await Promise.all(writes);
    expect(readCount(directory)).toBe(5);
    expect(clock.pending).toBe(0);
  });

  test('the value in memory changes at once', async () => {
    const store = await openCountStore(scratchDirectory(), { clock: createManualClock() });
    void store.write(withCount(1));
    void store.update(({ count }) => withCount(count + 1));
    expect(store.read()).toEqual(withCount(2));
  });

  test('a change made during a save settles with the next save, which includes it', async () => {
    const directory = scratchDirectory();
    const clock = createManualClock();
    const gate = gatedRename();
    const store = await openCountStore(directory, { clock, fs: gate.fs });
    const first = store.write(withCount(1));
    clock.advance(500);
    const firstRename = await gate.next();

    const second = store.write(withCount(2));
    const settled = vi.fn();
    second.then(settled);
    clock.advance(500);
    firstRename();
    await first;
    expect(readCount(directory)).toBe(1);
    expect(settled).not.toHaveBeenCalled();

    (await gate.next())();
    await second;
    expect(readCount(directory)).toBe(2);
  });

  test('a failed save rejects only its own changes, and the next save includes them', async () => {
    const directory = scratchDirectory();
    const clock = createManualClock();
    const onError = vi.fn();
    let failures = 1;
    const rename: StoreFileSystem['rename'] = async (from, to) => {
      if (failures-- > 0) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      await nodeFileSystem.rename(from, to);
    };
    const store = await openCountStore(directory, { clock, onError, fs: { ...nodeFileSystem, rename } });
    const first = store.update((data) => ({ ...data, count: 1 }));
    clock.advance(500);
    await expect(first).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('disk full'),
    });
    expect(readdirSync(directory)).toEqual([]);

    const second = store.update((data) => ({ ...data, ballast: 'more' }));
    clock.advance(500);
    await second;
    expect(JSON.parse(readFileSync(countPath(directory), 'utf8'))).toEqual({ version: 2, count: 1, ballast: 'more' });
    expect(onError).toHaveBeenCalledTimes(1);
  });

  test('flush retries a failed save without a new change', async () => {
    const directory = scratchDirectory();
    let failures = 1;
    const rename: StoreFileSystem['rename'] = async (from, to) => {
      if (failures-- > 0) throw new Error('disk full');
      await nodeFileSystem.rename(from, to);
    };
    const store = await openCountStore(directory, { clock: createManualClock(), fs: { ...nodeFileSystem, rename } });
    void store.write(withCount(1));
    await expect(store.flush()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    await store.flush();
    expect(readCount(directory)).toBe(1);
  });

  test('flush waits for a running save and saves later changes', async () => {
    const directory = scratchDirectory();
    const clock = createManualClock();
    const gate = gatedRename();
    const store = await openCountStore(directory, { clock, fs: gate.fs });
    void store.write(withCount(1));
    clock.advance(500);
    const firstRename = await gate.next();
    void store.write(withCount(2));
    const flushed = store.flush();
    firstRename();
    (await gate.next())();
    await flushed;
    expect(readCount(directory)).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('flush of a store without changes writes nothing', async () => {
    const directory = scratchDirectory();
    const store = await openCountStore(directory);
    void store.write(withCount(1));
    await store.flush();
    const { mtimeNs } = statSync(countPath(directory), { bigint: true });
    await store.flush();
    expect(statSync(countPath(directory), { bigint: true }).mtimeNs).toBe(mtimeNs);
  });

  test('close saves pending changes and rejects further ones', async () => {
    const directory = scratchDirectory();
    const clock = createManualClock();
    const store = await openCountStore(directory, { clock });
    void store.write(withCount(1));
    await store.close();
    await expect(store.write(withCount(2))).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(store.read()).toEqual(withCount(1));
    expect(readCount(directory)).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('a save is synced before the rename, and resolves after the rename is synced', async () => {
    const steps: string[] = [];
    const log = <T>(step: string, run: () => T): T => {
      steps.push(step);
      return run();
    };
    const fs: StoreFileSystem = {
      ...nodeFileSystem,
      async create(path) {
        const file = await log('create', () => nodeFileSystem.create(path));
        return {
          write: (data) => log('write', () => file.write(data)),
          sync: () => log('sync', () => file.sync()),
          close: () => log('close', () => file.close()),
        };
      },
      rename: (from, to) => log('rename', () => nodeFileSystem.rename(from, to)),
      syncDirectory: (path) => log('sync directory', () => nodeFileSystem.syncDirectory(path)),
    };
    const store = await openCountStore(scratchDirectory(), { fs });
    void store.write(withCount(1));
    await store.flush();
    expect(steps).toEqual(['create', 'write', 'sync', 'close', 'rename', 'sync directory']);
  });

  test('a value that could not be read back is not written', async () => {
    const directory = scratchDirectory();
    const store = await openCountStore(directory);
    void store.write(withCount(1));
    await store.flush();
    void store.write(withCount(1.5));
    await expect(store.flush()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(readCount(directory)).toBe(1);
  });
});

describe('the files', () => {
  test('are accessible only to the user, also one that was open to others before', async () => {
    const directory = join(scratchDirectory(), 'new', 'data');
    const store = await openCountStore(directory);
    void store.write(withCount(1));
    await store.flush();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    chmodSync(countPath(directory), 0o644);
    void store.write(withCount(2));
    await store.flush();
    expect(statSync(countPath(directory)).mode & 0o777).toBe(0o600);
  });

  test('of a killed writer are removed on open, those of other stores are not', async () => {
    const directory = scratchDirectory();
    for (const name of ['.count.json.1234.tmp', '.other.json.1234.tmp', 'count.json.tmp']) {
      writeFileSync(join(directory, name), 'half');
    }
    await openCountStore(directory);
    expect(readdirSync(directory).sort()).toEqual(['.other.json.1234.tmp', 'count.json.tmp']);
  });
});

/** A file system whose renames wait until the test releases them one by one. */
function gatedRename() {
  const arrivals: Array<() => void> = [];
  let onArrival: () => void = () => {};
  const rename: StoreFileSystem['rename'] = async (from, to) => {
    await new Promise<void>((resolve) => {
      arrivals.push(resolve);
      onArrival();
    });
    await nodeFileSystem.rename(from, to);
  };
  return {
    fs: { ...nodeFileSystem, rename },
    async next(): Promise<() => void> {
      const ready = arrivals.shift();
      if (ready !== undefined) return ready;
      await new Promise<void>((resolve) => {
        onArrival = resolve;
      });
      return this.next();
    },
  };
}
