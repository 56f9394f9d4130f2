import { constants, type Stats } from 'node:fs';
import { copyFile, link, lstat, open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { isErrorWithCode, nodeFileSystem } from '../store/index.ts';
import { writeCopy } from './lay-out.ts';
import type { CopiedFile } from './read-copy.ts';

export interface PutBackOptions {
  /** The agent's home directory. */
  readonly home: string;
  readonly files: readonly CopiedFile[];
  readonly newToken: () => string;
}

interface Missing {
  readonly temporary: string;
  readonly path: string;
}

/**
 * Writes the files that are missing. Never replaces a file: one that is there must begin with what was copied. Resolves to
 * how many were missing. Rejects with PUT_BACK_CONFLICT, COPY_DAMAGED or a file system error, and then none is there that
 * was not there before.
 */
export async function putBack({ files, newToken, ...options }: PutBackOptions): Promise<number> {
  const home = resolve(options.home);
  const missing: (Missing & { readonly file: CopiedFile })[] = [];
  for (const file of files) {
    const path = join(home, file.name);
    await refuseLinks(home, path);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined) await requireSameBeginning(file, path, found);
    else missing.push({ file, path, temporary: join(dirname(path), `.${basename(path)}.${newToken()}.tmp`) });
  }
  try {
    for (const { file, temporary } of missing) await writeCopy(file, temporary);
    await placeAll(missing);
  } finally {
    await Promise.all(missing.map(({ temporary }) => rm(temporary, { force: true })));
  }
  for (const directory of new Set(missing.map(({ path }) => dirname(path)))) {
    await nodeFileSystem.syncDirectory(directory);
  }
  return missing.length;
}

/** The conversation itself comes last, so that the agent never finds it without the rest. */
async function placeAll(missing: readonly Missing[]): Promise<void> {
  const placed: string[] = [];
  try {
    for (const { temporary, path } of missing.toReversed()) {
      await place(temporary, path);
      placed.push(path);
    }
  } catch (error) {
    await Promise.all(placed.map((path) => rm(path, { force: true })));
    throw isErrorWithCode(error, 'EEXIST') ? new AppError('PUT_BACK_CONFLICT') : error;
  }
}

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Fails with EEXIST if the name is taken. */
async function place(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!WITHOUT_LINKS.some((code) => isErrorWithCode(error, code))) throw error;
    await copyFile(temporary, path, constants.COPYFILE_EXCL);
  }
}

/** The nearest directory that exists must be inside the agent's home, whatever links there are. */
async function refuseLinks(home: string, path: string): Promise<void> {
  const realHome = await realpath(home).catch(() => home);
  for (let directory = dirname(path); directory.startsWith(home); directory = dirname(directory)) {
    const real = await realpath(directory).catch(() => undefined);
    if (real === undefined) continue;
    if (real === realHome || real.startsWith(realHome + sep)) return;
    throw conflict(`${directory} is a link that leads out of ${home}`);
  }
}

async function requireSameBeginning(file: CopiedFile, path: string, found: Stats): Promise<void> {
  if (!found.isFile()) throw conflict(`${path} is not a regular file`);
  if (found.size < file.length) throw conflict(`${path} is shorter than its copy`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    let at = 0;
    for await (const content of file.read()) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(content.length), 0, content.length, at);
      if (bytesRead !== content.length || !buffer.equals(content)) throw conflict(`${path} differs from its copy`);
      at += content.length;
    }
  } finally {
    await handle.close();
  }
}

function conflict(why: string): AppError {
  return new AppError('PUT_BACK_CONFLICT', `The conversation was not put back: ${why}. Nothing was changed.`);
}
