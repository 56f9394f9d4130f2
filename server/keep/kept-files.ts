import { readdir } from 'node:fs/promises';
import { makePrivateDirectory, openPrivate, readPrivate } from '../private-files.ts';
import { isErrorWithCode, nodeFileSystem } from '../store/index.ts';

/** The file system calls on the copies; few enough for a test to make each of them fail. */
export interface KeptFiles {
  makeDirectory(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Empty if there is no such directory. */
  list(directory: string): Promise<string[]>;
  /** Undefined if there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** Rejects if the file ends before. */
  readRange(path: string, position: number, length: number): Promise<Buffer>;
  /**
   * Cuts the file to a length, creates it if the length is 0, appends and resolves when all of it is on disk. Rejects if
   * the file is shorter.
   */
  append(path: string, length: number, data: Uint8Array): Promise<void>;
}

export const nodeKeptFiles: KeptFiles = {
  async makeDirectory(path) {
    makePrivateDirectory(path);
  },
  syncDirectory: nodeFileSystem.syncDirectory,
  list: (directory) =>
    readdir(directory).catch((error: unknown) => {
      if (isErrorWithCode(error, 'ENOENT')) return [];
      throw error;
    }),
  read: (path) =>
    readPrivate(path).catch((error: unknown) => {
      if (isErrorWithCode(error, 'ENOENT')) return undefined;
      throw error;
    }),
  async readRange(path, position, length) {
    const handle = await openPrivate(path, 'read');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
      if (bytesRead !== length) throw new ShortFileError(path);
      return buffer;
    } finally {
      await handle.close();
    }
  },
  async append(path, length, data) {
    const handle = await openPrivate(path, 'append');
    try {
      const { size } = await handle.stat();
      if (size < length) throw new ShortFileError(path);
      // The rest was written before a crash and is not part of the copy.
      if (size > length) await handle.truncate(length);
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

/** A file of a copy ends before its index says. */
export class ShortFileError extends Error {
  override readonly name = 'ShortFileError';

  constructor(path: string) {
    super(`${path} is shorter than it was.`);
  }
}
