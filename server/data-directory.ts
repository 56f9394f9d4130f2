import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './config.ts';

/** Creates the data directory if needed and checks that it is writable. Throws a UsageError otherwise. */
export async function prepareDataDirectory(path: string): Promise<void> {
  const problem = await makeDirectory(path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw new UsageError(`--data-dir: ${path} is a file. Name a directory.`);
  }
  if (problem !== undefined) {
    throw new UsageError(`--data-dir: ${path} cannot be created (${problem.code}). Name a directory you can write to.`);
  }
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--data-dir: ${path} cannot be written to (${error.code}). Name a directory you can write to.`,
    );
  });
}

/** Avoids `recursive`, which never returns where a parent exists but cannot hold directories, as in /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await makeSingle(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeSingle(path);
  }
}

async function makeSingle(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
