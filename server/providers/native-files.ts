import { createHash } from 'node:crypto';
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { NativeFile } from '../engine/native-files.ts';

/** Changes when one of the files changes, appears or disappears. Undefined if there is none. Reads no content. */
export async function stampOf(paths: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(paths.toSorted().map(async (path) => ({ path, stats: await statOf(path) })));
  const lines = found.flatMap(({ path, stats }) =>
    stats?.isFile() ? [`${path}\0${stats.size}\0${stats.mtimeNs}\0${stats.ino}\n`] : [],
  );
  return lines.length === 0 ? undefined : createHash('sha256').update(lines.join('')).digest('hex');
}

function statOf(path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined);
}

/** Reads parts of a file of an agent. */
export interface PartReader {
  readonly size: number;
  read(position: number, length: number): Promise<string>;
}

export async function readParts<T>(path: string, run: (file: PartReader) => Promise<T>): Promise<T> {
  // Not blocking, because opening a named pipe would wait for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    return await run({
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
        return buffer.toString('utf8', 0, bytesRead);
      },
    });
  } finally {
    await file.close();
  }
}

export function toNativeFile(home: string, path: string): NativeFile {
  return { path, name: relative(home, path).split(sep).join('/') };
}

/** The regular files below a directory, in order. Links are not followed. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => {
        const path = join(directory, entry.name);
        if (entry.isDirectory()) return filesBelow(path);
        return entry.isFile() ? [path] : [];
      }),
  );
  return found.flat();
}

/** The directories together with what they are without links: agents say where they really are. */
export async function withRealPaths(directories: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(directories.map((directory) => realpath(directory).catch(() => directory)));
  return [...new Set([...directories, ...real])];
}

export function isBelow(directory: string, directories: readonly string[]): boolean {
  return directories.some(
    (parent) => directory === parent || directory.startsWith(parent.endsWith(sep) ? parent : parent + sep),
  );
}
