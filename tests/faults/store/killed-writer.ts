import { writeSync } from 'node:fs';
import { nodeFileSystem, type StoreFileSystem } from '../../../server/store/file-system.ts';
import { openCountStore } from '../../support/store/counting-store.ts';

// Writes increasing counts forever and prints `> n` before a save, `. n` before each of its steps, `< n` after it.

const [, , directory = '', from = '0'] = process.argv;
let count = Number(from);
const say = (sign: string) => writeSync(1, `${sign} ${count}\n`);

const step = <T>(run: () => T): T => {
  say('.');
  return run();
};

const fs: StoreFileSystem = {
  ...nodeFileSystem,
  async create(path) {
    const file = await step(() => nodeFileSystem.create(path));
    return { ...file, write: (data) => step(() => file.write(data)), sync: () => step(() => file.sync()) };
  },
  rename: (from, to) => step(() => nodeFileSystem.rename(from, to)),
  syncDirectory: (path) => step(() => nodeFileSystem.syncDirectory(path)),
};

const store = await openCountStore(directory, { fs });
for (;;) {
  count += 1;
  say('>');
  void store.write({ count, ballast: String(count).padEnd(64 * 1024, 'x') });
  await store.flush();
  say('<');
}
