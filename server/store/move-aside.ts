import { basename, dirname, join } from 'node:path';
import { createDurably } from './atomic-file.ts';
import type { StoreFileSystem } from './file-system.ts';

/** A file that could not be read, where it is now, and why. */
export interface MovedAside {
  readonly path: string;
  readonly reason: string;
}

/** Keeps a bad file for its owner to look at: `name.json.corrupt-<time>`, with the reason beside it. */
export async function moveAside(fs: StoreFileSystem, path: string, reason: string, now: string): Promise<MovedAside> {
  const directory = dirname(path);
  const taken = new Set(await fs.list(directory));
  const stem = `${basename(path)}.corrupt-${now.replaceAll(':', '-')}`;
  let name = stem;
  for (let count = 2; taken.has(name); count += 1) name = `${stem}-${count}`;

  const aside = join(directory, name);
  await fs.rename(path, aside);
  await fs.syncDirectory(directory);
  // The caller reports the reason too; a disk too full for a note must not keep the app from starting.
  await createDurably(fs, `${aside}.reason.txt`, `${reason}\n`).catch(() => {});
  return { path: aside, reason };
}
