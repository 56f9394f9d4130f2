import { basename, dirname, join } from 'node:path';
import type { StoreFileSystem } from './file-system.ts';

/** Creates a file and syncs it to disk. Leaves nothing behind when that fails. */
export async function createDurably(fs: StoreFileSystem, path: string, data: string): Promise<void> {
  const file = await fs.create(path);
  try {
    try {
      await file.write(data);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await fs.remove(path).catch(() => {});
    throw error;
  }
}

/** Replaces a file atomically: after a crash at any point, a reader finds the complete old or new content. */
export async function replaceFile(fs: StoreFileSystem, path: string, data: string, token: string): Promise<void> {
  const temporary = temporaryName(path, token);
  await createDurably(fs, temporary, data);
  try {
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.remove(temporary).catch(() => {});
    throw error;
  }
  await fs.syncDirectory(dirname(path));
}

/** Removes temporary files of an earlier writer of `path`. Only for the process that holds the lock. */
export async function removeTemporaries(fs: StoreFileSystem, path: string): Promise<void> {
  const directory = dirname(path);
  const prefix = `.${basename(path)}.`;
  for (const name of await fs.list(directory)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) await fs.remove(join(directory, name));
  }
}

function temporaryName(path: string, token: string): string {
  return join(dirname(path), `.${basename(path)}.${token}.tmp`);
}
