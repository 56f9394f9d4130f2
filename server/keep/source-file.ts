import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { NativeFile } from '../engine/native-files.ts';
import { isOwn } from '../private-files.ts';
import { isSafeName, type Source } from './kept-index.ts';

/** A file of an agent that is being read. */
export interface SourceFile {
  /** As it was when it was opened. */
  readonly source: Source;
  /** Shorter than asked for at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** What the file is now. Undefined if it is not a regular file, or has a name that could lead elsewhere. */
export async function lookAt({ path, name }: NativeFile): Promise<Source | undefined> {
  if (!isSafeName(name)) return undefined;
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found?.isFile() ? sourceOf(found) : undefined;
}

/**
 * Opens a file of the user below the agent's home. Undefined if it is gone, belongs to another user, is a link, or lies
 * elsewhere because one of its directories is a link.
 */
export async function openSource(home: string, { path, name }: NativeFile): Promise<SourceFile | undefined> {
  const [realHome, realFile] = await Promise.all([home, path].map((each) => realpath(each).catch(() => undefined)));
  if (realHome === undefined || realFile === undefined || !isSafeName(name)) return undefined;
  if (!realFile.startsWith(realHome.endsWith(sep) ? realHome : realHome + sep)) return undefined;
  // Not blocking, because opening a named pipe would wait for its other end.
  const handle = await open(realFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  const [found, exact] = await Promise.all([handle.stat(), handle.stat({ bigint: true })]);
  if (found.isFile() && isOwn(found))
    return { source: sourceOf(exact), read: readFrom(handle), close: () => handle.close() };
  await handle.close();
  return undefined;
}

const readFrom = (handle: FileHandle) => async (position: number, length: number) => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
};

function sourceOf(stats: { readonly size: bigint; readonly mtimeNs: bigint; readonly ino: bigint }): Source {
  return { size: Number(stats.size), mtimeNs: String(stats.mtimeNs), ino: String(stats.ino) };
}

export function isSameSource(a: Source | undefined, b: Source): boolean {
  return a !== undefined && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ino === b.ino;
}
