import { type KeptFiles, ShortFileError } from '../../../server/keep/kept-files.ts';

/** Copies without a disk, so that a test can try thousands of crashes. By path. */
export type KeptDisk = Map<string, Buffer>;

export function createMemoryFiles(disk: KeptDisk): KeptFiles {
  return {
    makeDirectory: async () => {},
    syncDirectory: async () => {},
    async list(directory) {
      const below = [...disk.keys()].filter((path) => path.startsWith(`${directory}/`));
      return [...new Set(below.map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''))];
    },
    read: async (path) => disk.get(path),
    async readRange(path, position, length) {
      const content = disk.get(path)?.subarray(position, position + length);
      if (content?.length !== length) throw new ShortFileError(path);
      return content;
    },
    async append(path, length, data) {
      const before = disk.get(path) ?? Buffer.alloc(0);
      if (before.length < length) throw new ShortFileError(path);
      disk.set(path, Buffer.concat([before.subarray(0, length), data]));
    },
  };
}

export interface Failure {
  /** Which call fails, from 1. */
  readonly call: number;
  /** How many calls fail, from there on. Default: all, as if the process had died. */
  readonly count?: number;
  /** What the first of them has done before. */
  readonly done: 'nothing' | 'half' | 'all';
  readonly code?: string;
}

/** The same with calls that fail. Each of them counts, also those that only read. */
export function failFiles(files: KeptFiles, failure: Failure): { readonly files: KeptFiles; calls(): number } {
  const { call, count = Number.POSITIVE_INFINITY, done, code = 'EIO' } = failure;
  let calls = 0;
  async function attempt<T>(run: () => Promise<T>, half: () => Promise<unknown> = async () => {}): Promise<T> {
    calls += 1;
    if (calls < call || calls >= call + count) return run();
    if (calls === call && done === 'all') await run();
    if (calls === call && done === 'half') await half();
    throw Object.assign(new Error(`call ${calls} fails`), { code });
  }
  return {
    calls: () => calls,
    files: {
      makeDirectory: (path) => attempt(() => files.makeDirectory(path)),
      syncDirectory: (path) => attempt(() => files.syncDirectory(path)),
      list: (directory) => attempt(() => files.list(directory)),
      read: (path) => attempt(() => files.read(path)),
      readRange: (...range) => attempt(() => files.readRange(...range)),
      append: (path, length, data) =>
        attempt(
          () => files.append(path, length, data),
          () => files.append(path, length, data.subarray(0, data.length / 2)),
        ),
    },
  };
}
