import { basename, dirname, join } from 'node:path';
import { createDurably } from './atomic-file.ts';
import type { StoreFileSystem } from './file-system.ts';

/** An invalid file: where it was moved and why. */
export interface MovedAside {
  readonly path: string;
  readonly reason: string;
}

/** Renames an invalid file to `name.json.corrupt-<time>` and writes the reason to a file next to it. */
export async function moveAside(fs: StoreFileSystem, path: string, reason: string, now: string): Promise<MovedAside> {
  const directory = dirname(path);
  const taken = new Set(await fs.list(directory));
  const stem = `${basename(path)}.corrupt-${now.replaceAll(':', '-')}`;
  let name = stem;
  for (let count = 2; taken.has(name); count += 1) name = `${stem}-${count}`;

  const aside = join(directory, name);
  await fs.rename(path, aside);
  await fs.syncDirectory(directory);
  // The caller reports the reason as well, so a full disk must not prevent the start.
  await createDurably(fs, `${aside}.reason.txt`, `${reason}\n`).catch(() => {});
  return { path: aside, reason };
}
