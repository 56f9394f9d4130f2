import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonStore } from '../../../server/store/json-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { type CountData, countPath, openCountStore } from '../../support/store/counting-store.ts';
import { failureKinds, forEveryCall } from '../../support/store/failing-file-system.ts';

const OLD = { count: 1, ballast: 'old'.repeat(100) };
const NEW = { count: 2, ballast: 'new'.repeat(100) };

async function directoryWith(data: CountData): Promise<string> {
  const directory = scratchDirectory();
  const store = await openCountStore(directory);
  void store.write(data);
  await store.close();
  return directory;
}

describe.each(failureKinds)('the file system failing $when a call, $length', (kind) => {
  test('leaves the old or the new file at every call, and the new one after a save that resolved', async () => {
    const calls = await forEveryCall(kind, async ({ fs, hasFailed }, call) => {
      const directory = await directoryWith(OLD);
      let store: JsonStore<CountData> | undefined;
      let saved = false;
      try {
        store = await openCountStore(directory, { fs, clock: createManualClock() });
        expect(store.read()).toEqual(OLD);
        void store.write(NEW);
        await store.flush();
        saved = true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' });
        expect(hasFailed()).toBe(true);
      }
      if (store !== undefined && !saved && kind.length === 'once') {
        await store.flush();
        saved = true;
      }

      const reopened = await openCountStore(directory);
      const context = `call ${call}, saved: ${saved}`;
      expect([OLD, NEW], context).toContainEqual(reopened.read());
      if (saved) expect(reopened.read(), context).toEqual(NEW);
      expect(reopened.movedAside, context).toBeUndefined();
      expect(readdirSync(directory), context).toEqual(['count.json']);
    });
    expect(calls).toBeGreaterThanOrEqual(9);
  });

  test('never loses an invalid file at any call', async () => {
    const calls = await forEveryCall(kind, async ({ fs }, call) => {
      const directory = scratchDirectory();
      writeFileSync(countPath(directory), 'precious');
      await openCountStore(directory, { fs }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' });
      });
      const kept = readdirSync(directory).filter((name) => readFileSync(join(directory, name), 'utf8') === 'precious');
      expect(kept, `call ${call}`).toHaveLength(1);

      const reopened = await openCountStore(directory);
      expect(reopened.read()).toEqual({ count: 0, ballast: '' });
      const asides = readdirSync(directory).filter((name) => /corrupt-[^.]*\.\d+Z$/.test(name));
      expect(asides, `call ${call}`).toHaveLength(1);
    });
    expect(calls).toBeGreaterThanOrEqual(6);
  });
});

test('a file truncated at any byte is moved aside and the store starts, without affecting other files', async () => {
  const directory = await directoryWith({ count: 1, ballast: 'Zażółć gęślą jaźń 🐢' });
  const whole = readFileSync(countPath(directory));
  const neighbour = join(directory, 'projects.json');
  writeFileSync(neighbour, 'not ours');

  // The last byte is the line feed after the object; the file is valid without it.
  for (let length = 0; length < whole.length - 1; length += 1) {
    writeFileSync(countPath(directory), whole.subarray(0, length));
    const store = await openCountStore(directory);
    expect(store.read(), `cut at ${length}`).toEqual({ count: 0, ballast: '' });
    const aside = store.movedAside?.path ?? '';
    expect(readFileSync(aside), `cut at ${length}`).toEqual(whole.subarray(0, length));
    rmSync(aside);
  }
  expect(readFileSync(neighbour, 'utf8')).toBe('not ours');
});
