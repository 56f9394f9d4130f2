import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../shared/errors.ts';
import { makePrivateDirectory } from '../private-files.ts';
import { nodeFileSystem } from '../store/index.ts';
import type { ArchiveSummary } from './export-data.ts';
import { damaged } from './tar-reader.ts';
import { unpack } from './unpack.ts';

export interface ImportOptions {
  readonly file: string;
  /** Exists and is empty, or this is refused. */
  readonly dataDir: string;
}

/**
 * Makes an archive the data directory: unpacks it beside, checks every file, then puts the result in place with one
 * rename. Whatever is wrong, the data directory stays empty and nothing else is left behind.
 */
export async function importData({ file, dataDir }: ImportOptions): Promise<ArchiveSummary> {
  await refuseUnlessEmpty(dataDir);
  await refuseUnlessFile(file);
  const beside = join(dirname(dataDir), `.${basename(dataDir)}.import-${randomUUID()}`);
  try {
    makePrivateDirectory(beside);
    const summary = await unpack(gunzipped(file), beside);
    await rename(beside, dataDir).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPERM' && error.code !== 'EACCES') throw error;
      // Windows does not replace directories.
      await rmdir(dataDir);
      await rename(beside, dataDir);
    });
    await nodeFileSystem.syncDirectory(dirname(dataDir));
    return summary;
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    throw explain(error, dataDir);
  }
}

async function refuseUnlessEmpty(dataDir: string): Promise<void> {
  if ((await readdir(dataDir)).length > 0) throw notEmpty(dataDir);
}

async function refuseUnlessFile(file: string): Promise<void> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    throw new AppError('STORAGE_FAILED', `${file} cannot be read (${error.code}). Name an archive made by "export".`);
  });
  if (found.isFile() || found.isSymbolicLink()) return;
  throw new AppError('STORAGE_FAILED', `${file} is not a file. Name an archive made by "export".`);
}

/** Errors of the stream are thrown to whoever reads it. */
function gunzipped(file: string): AsyncIterable<Buffer> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  gunzip.on('close', () => source.destroy());
  return source.pipe(gunzip);
}

const GZIP_PROBLEMS: Readonly<Record<string, string>> = {
  Z_DATA_ERROR: 'is damaged, or was not made by "export"',
  Z_BUF_ERROR: 'is incomplete: it ends too early',
};

function explain(error: unknown, dataDir: string): unknown {
  if (error instanceof AppError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return notEmpty(dataDir);
  const problem = GZIP_PROBLEMS[code];
  if (problem !== undefined) return damaged(problem);
  return new AppError('STORAGE_FAILED', `The archive could not be imported: ${message}`, { cause: error });
}

function notEmpty(dataDir: string): AppError {
  return new AppError(
    'STORAGE_FAILED',
    `${dataDir} is not empty, and nothing in it is replaced. Name a new directory with --data-dir.`,
  );
}
