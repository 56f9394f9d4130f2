import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';

export interface WritableFile {
  write(data: string): Promise<void>;
  /** Resolves when the data is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The part of the file system that the stores use, small enough for a test to fail its every call in turn. */
export interface StoreFileSystem {
  makeDirectory(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Fails with EEXIST where the file is already there. */
  create(path: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; fails with EEXIST where that name is taken. */
  link(existing: string, name: string): Promise<void>;
  remove(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
}

/** Files and directories it makes belong to the user alone. */
export const nodeFileSystem: StoreFileSystem = {
  async makeDirectory(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  list: (directory) => readdir(directory),
  read: (path) => readFile(path),
  async create(path) {
    const handle = await open(path, 'wx', 0o600);
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

/** Some file systems cannot sync a directory and say so; there is nothing better to do there. */
async function syncWhereSupported(directory: FileHandle): Promise<void> {
  try {
    await directory.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

export function isErrorWithCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
