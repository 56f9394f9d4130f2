import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { type Clock, systemClock } from '../clock.ts';
import { removeTemporaries, replaceFile } from './atomic-file.ts';
import { isErrorWithCode, nodeFileSystem, type StoreFileSystem } from './file-system.ts';
import { type MovedAside, moveAside } from './move-aside.ts';
import { type JsonFormat, readJson } from './read-json.ts';
import { withStorageError } from './storage-error.ts';
import { toText } from './to-text.ts';
import { createWriteQueue } from './write-queue.ts';

const WRITE_DELAY_MS = 500;

export interface JsonStoreOptions<T extends object> extends JsonFormat<T> {
  readonly path: string;
  readonly defaults: T;
  /** Called for every failed save, whether or not its promise is awaited. */
  readonly onError?: (error: unknown) => void;
  readonly fs?: StoreFileSystem;
  readonly clock?: Clock;
  readonly delayMs?: number;
  readonly newToken?: () => string;
}

/** A value in memory, saved to a versioned JSON file. The value in memory is authoritative. */
export interface JsonStore<T> {
  /** Set if the file was invalid, so that the store started with its defaults. */
  readonly movedAside: MovedAside | undefined;
  read(): T;
  /**
   * Changes the value in memory. The promise resolves when this change, or a newer one, is on disk, and rejects with
   * STORAGE_FAILED when that save fails; the change stays in memory and is part of the next save. The promise may be
   * ignored.
   */
  write(value: T): Promise<void>;
  update(change: (value: T) => T): Promise<void>;
  /** Saves unsaved changes now. */
  flush(): Promise<void>;
  /** Flushes, then rejects further changes. Can be called again after a failure. */
  close(): Promise<void>;
}

/**
 * Opens a store; the caller must hold the lock of the data directory. An invalid file is moved aside and the store
 * starts with its defaults. Throws SERVER_NEWER_DATA for a file of a newer version and STORAGE_FAILED for one that
 * cannot be read or moved; neither is ever overwritten.
 */
export async function openJsonStore<T extends object>(options: JsonStoreOptions<T>): Promise<JsonStore<T>> {
  const { path, onError = () => {}, clock = systemClock } = options;
  const { fs = nodeFileSystem, delayMs = WRITE_DELAY_MS, newToken = randomUUID } = options;

  const opened = await withStorageError(`The data file ${path} could not be opened`, () =>
    load(options, fs, clock.now()),
  );
  let value: T = opened.value;
  let closed = false;
  const queue = createWriteQueue({
    save: () =>
      withStorageError(`The data file ${path} could not be saved`, async () => {
        await replaceFile(fs, path, await toText(options, value), newToken());
      }),
    delayMs,
    clock,
    onError,
  });
  if (opened.migrated) void queue.request();

  const write = (next: T): Promise<void> => {
    if (closed) return refuse(path, onError);
    value = next;
    return queue.request();
  };

  return {
    movedAside: opened.movedAside,
    read: () => value,
    write,
    update: (change) => write(change(value)),
    flush: queue.flush,
    close() {
      closed = true;
      return queue.flush();
    },
  };
}

interface Loaded<T> {
  readonly value: T;
  readonly migrated?: boolean;
  readonly movedAside?: MovedAside;
}

async function load<T extends object>(
  options: JsonStoreOptions<T>,
  fs: StoreFileSystem,
  now: string,
): Promise<Loaded<T>> {
  const { path, defaults } = options;
  await fs.makeDirectory(dirname(path));
  await removeTemporaries(fs, path);
  const bytes = await readIfExists(fs, path);
  if (bytes === undefined) return { value: defaults };
  const result = readJson(bytes, options, path);
  if (result.ok) return result;
  return { value: defaults, movedAside: await moveAside(fs, path, result.reason, now) };
}

async function readIfExists(fs: StoreFileSystem, path: string): Promise<Uint8Array | undefined> {
  try {
    return await fs.read(path);
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Reported to `onError`, and safe to ignore, like any other failed save. */
function refuse(path: string, onError: (error: unknown) => void): Promise<void> {
  const refused = Promise.reject(
    new AppError('STORAGE_FAILED', `The data file ${path} is closed; the server is shutting down.`),
  );
  refused.catch(onError);
  return refused;
}
