import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, link, open, readdir, rename, rm } from 'node:fs/promises';
import { makePrivateDirectory, openPrivate, readPrivate } from '../private-files.ts';

export interface WritableFile {
  write(data: string): Promise<void>;
  /** Resolves when the data is on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system calls that the stores use; few enough for a test to make each of them fail. */
export interface StoreFileSystem {
  makeDirectory(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Fails with EEXIST if the file exists. */
  create(path: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  /** Creates a hard link; fails with EEXIST if the name is taken. */
  link(existing: string, name: string): Promise<void>;
  remove(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
}

/** Only files and directories of this user, which only this user can access. Does not follow links. */
export const nodeFileSystem: StoreFileSystem = {
  async makeDirectory(path) {
    makePrivateDirectory(path);
  },
  list: (directory) => readdir(directory),
  read: (path) => readPrivate(path),
  async create(path) {
    const handle = await openPrivate(path, 'create');
    return {
      write: (data) => handle.writeFile(data),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  rename,
  link,
  remove: (path) => rm(path, { force: true }),
  async syncDirectory(path) {
    const handle = await open(path, 'r');
    try {
      await syncWhereSupported(handle);
    } finally {
      await handle.close();
    }
  },
};

/** Like `syncDirectory`, but waits for the disk. */
export function syncDirectoryNow(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch (error) {
    ignoreUnsupported(error);
  } finally {
    closeSync(directory);
  }
}

async function syncWhereSupported(directory: FileHandle): Promise<void> {
  await directory.sync().catch(ignoreUnsupported);
}

/** Some file systems cannot sync a directory. */
function ignoreUnsupported(error: unknown): void {
  if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

export function isErrorWithCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
