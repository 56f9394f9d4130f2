import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { AppError } from '../../shared/errors.ts';
import { openPrivate, UnsafeFileError } from '../private-files.ts';
import { AGENTS_FILE } from '../providers/agents-config.ts';
import { isArchived } from './archived-paths.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedFile,
  type ArchiveHead,
  DATA,
  HEAD,
  MANIFEST,
} from './manifest.ts';
import { BLOCK, encodeHeader, paddingOf } from './tar-header.ts';

export interface ExportOptions {
  readonly dataDir: string;
  /** Must not exist. */
  readonly file: string;
  /** The version of the program. */
  readonly program: string;
  readonly now: () => string;
}

export interface ArchiveSummary {
  readonly files: number;
  /** Of the files, not of the archive. */
  readonly bytes: number;
}

/** Writes the data directory to one file; the caller must hold its lock. Leaves no file behind when that fails. */
export async function exportData(options: ExportOptions): Promise<ArchiveSummary> {
  const handle = await openPrivate(options.file, 'create').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new AppError('STORAGE_FAILED', `${options.file} exists already. Name a new file.`)
      : cannotWrite(options.file, error);
  });
  const files: ArchivedFile[] = [];
  try {
    for await (const piece of gzipped(tarOf(options, files))) await handle.writeFile(piece);
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(options.file, { force: true });
    throw error instanceof AppError ? error : cannotWrite(options.file, error);
  }
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** Errors of the source are thrown to whoever reads it. */
function gzipped(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const source = Readable.from(bytes);
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => source.destroy());
  return source.pipe(gzip);
}

function cannotWrite(file: string, error: unknown): AppError {
  const why = error instanceof Error ? error.message : String(error);
  return new AppError('STORAGE_FAILED', `${file} could not be written: ${why}`, { cause: error });
}

async function* tarOf({ dataDir, program, now }: ExportOptions, files: ArchivedFile[]): AsyncGenerator<Buffer> {
  const head: ArchiveHead = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, createdAt: now(), program };
  yield* jsonEntry(HEAD, head);
  for await (const path of filesIn(dataDir, '')) files.push(yield* fileEntry(dataDir, path));
  yield* jsonEntry(MANIFEST, { files });
  yield Buffer.alloc(2 * BLOCK);
}

function* jsonEntry(path: string, value: object): Generator<Buffer> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
  yield encodeHeader({ path, size: bytes.length });
  yield bytes;
  yield Buffer.alloc(paddingOf(bytes.length));
}

async function* filesIn(dataDir: string, below: string): AsyncGenerator<string> {
  const found = await readdir(join(dataDir, below), { withFileTypes: true });
  for (const entry of found.sort(byName)) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!isArchived(path)) continue;
    if (entry.isDirectory()) yield* filesIn(dataDir, path);
    else if (entry.isFile()) yield path;
    else
      throw new UnsafeFileError(join(dataDir, path), 'is neither a file nor a directory', 'Remove it, then try again.');
  }
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);

const PIECE = 256 * 1024;

async function* fileEntry(dataDir: string, path: string): AsyncGenerator<Buffer, ArchivedFile> {
  const handle = await openPrivate(join(dataDir, path), 'read', { edited: path === AGENTS_FILE });
  try {
    const { size } = await handle.stat();
    const hash = createHash('sha256');
    yield encodeHeader({ path: `${DATA}${path}`, size });
    for (let left = size; left > 0; ) {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(Math.min(PIECE, left)) });
      if (bytesRead === 0) throw new AppError('STORAGE_FAILED', `${path} changed while it was read. Try again.`);
      const piece = buffer.subarray(0, bytesRead);
      left -= bytesRead;
      hash.update(piece);
      yield piece;
    }
    yield Buffer.alloc(paddingOf(size));
    return { path, size, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}
