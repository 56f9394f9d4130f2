import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { UsageError } from './config.ts';

/** Makes sure that the data directory is there and can be written to. Throws a UsageError and leaves nothing behind. */
export async function prepareDataDirectory(path: string): Promise<void> {
  const problem = await mkdir(path, { recursive: true, mode: 0o700 }).then(
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
