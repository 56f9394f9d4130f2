import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openPrivate } from '../private-files.ts';
import type { CopiedFile } from './read-copy.ts';

/** Writes a copy to a new file and syncs it to disk. Fails with EEXIST if the file exists. */
export async function writeCopy(file: CopiedFile, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await openPrivate(path, 'create');
  try {
    for await (const content of file.read()) await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
