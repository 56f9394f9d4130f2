import { createHash } from 'node:crypto';
import { type FileHandle, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { makePrivateDirectory, openPrivate } from '../private-files.ts';
import { nodeFileSystem } from '../store/index.ts';
import { isSafePath } from './archived-paths.ts';
import type { ArchiveSummary } from './export-data.ts';
import {
  ARCHIVE_VERSION,
  type ArchivedFile,
  DATA,
  HEAD,
  headSchema,
  MANIFEST,
  MAX_FILES,
  manifestSchema,
} from './manifest.ts';
import { damaged, type ReadEntry, readTar } from './tar-reader.ts';

const MAX_HEAD = 64 * 1024;
const MAX_MANIFEST = 256 * 1024 * 1024;

/** Unpacks an archive into an empty directory and checks every file. Throws an AppError that says what is wrong. */
export async function unpack(bytes: AsyncIterable<Buffer>, directory: string): Promise<ArchiveSummary> {
  const unpacked = new Map<string, ArchivedFile>();
  const directories = new Set<string>([directory]);
  let isBegun = false;
  let listed: readonly ArchivedFile[] | undefined;

  for await (const entry of readTar(bytes)) {
    if (listed !== undefined) throw damaged('has something after its manifest');
    if (!isBegun) await checkHead(entry);
    else if (entry.path === MANIFEST) listed = (await readJson(entry, MAX_MANIFEST, manifestSchema)).files;
    else {
      const file = await unpackFile(entry, directory, directories, unpacked);
      unpacked.set(file.path, file);
    }
    isBegun = true;
  }
  if (listed === undefined) throw damaged('is incomplete: it has no manifest');
  compare(listed, unpacked);
  for (const path of [...directories].reverse()) await nodeFileSystem.syncDirectory(path);
  return { files: unpacked.size, bytes: listed.reduce((sum, { size }) => sum + size, 0) };
}

async function checkHead(entry: ReadEntry): Promise<void> {
  if (entry.path !== HEAD) throw damaged('was not made by "export"');
  const { version } = await readJson(entry, MAX_HEAD, headSchema);
  if (version <= ARCHIVE_VERSION) return;
  throw new AppError(
    'SERVER_NEWER_DATA',
    `The archive was made by a newer version (format ${version}; this one knows ${ARCHIVE_VERSION}). Update Liminal Builder, then import it again.`,
  );
}

async function readJson<T>({ path, size, content }: ReadEntry, limit: number, schema: z.ZodType<T>): Promise<T> {
  if (size > limit) throw damaged(`is damaged: ${path} is too large`);
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  try {
    return schema.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  } catch {
    throw damaged(`is damaged: ${path} cannot be read`);
  }
}

async function unpackFile(
  { path: name, size, content }: ReadEntry,
  directory: string,
  directories: Set<string>,
  unpacked: ReadonlyMap<string, ArchivedFile>,
): Promise<ArchivedFile> {
  const path = name.startsWith(DATA) ? name.slice(DATA.length) : '';
  if (!isSafePath(path)) throw damaged(`contains ${JSON.stringify(name)}, which is not a file of a data directory`);
  if (unpacked.has(path)) throw damaged(`contains ${JSON.stringify(path)} twice`);
  if (unpacked.size >= MAX_FILES) throw damaged('contains too many files');
  await refuseIfTooLarge(path, size, directory);
  const handle = await createFile(path, directory, directories);
  const hash = createHash('sha256');
  try {
    for await (const piece of content) {
      hash.update(piece);
      await handle.writeFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { path, size, sha256: hash.digest('hex') };
}

/** Before anything of it is written, so that an archive that unpacks to more than there is does not fill the disk. */
async function refuseIfTooLarge(path: string, size: number, directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (size < free) return;
  throw damaged(`contains ${JSON.stringify(path)} with ${size} bytes, and only ${free} bytes are free`);
}

async function createFile(path: string, directory: string, directories: Set<string>): Promise<FileHandle> {
  try {
    makeParents(path, directory, directories);
    return await openPrivate(join(directory, path), 'create');
  } catch (error) {
    const isTaken = TAKEN.includes((error as NodeJS.ErrnoException).code);
    throw isTaken ? damaged(`contains ${JSON.stringify(path)}, where it has something else already`) : error;
  }
}

/** A file in place of a directory, or the other way round, or two names that are one on this file system. */
const TAKEN: readonly (string | undefined)[] = ['EEXIST', 'ENOTDIR', 'EISDIR'];

/** One after the other, so that none of them is a link. */
function makeParents(path: string, directory: string, directories: Set<string>): void {
  const names = dirname(path)
    .split('/')
    .filter((name) => name !== '.');
  let parent = directory;
  for (const name of names) {
    parent = join(parent, name);
    if (directories.has(parent)) continue;
    makePrivateDirectory(parent);
    directories.add(parent);
  }
}

function compare(listed: readonly ArchivedFile[], unpacked: ReadonlyMap<string, ArchivedFile>): void {
  for (const { path, size, sha256 } of listed) {
    const found = unpacked.get(path);
    if (found === undefined) throw damaged(`is incomplete: ${JSON.stringify(path)} is missing`);
    if (found.size !== size || found.sha256 !== sha256) {
      throw damaged(`is damaged: ${JSON.stringify(path)} is not what was exported`);
    }
  }
  if (new Set(listed.map(({ path }) => path)).size !== unpacked.size) {
    throw damaged('is damaged: it contains files that its manifest does not list');
  }
}
