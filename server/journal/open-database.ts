import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrorWithCode, type MovedAside, moveAside, nodeFileSystem, syncDirectoryNow } from '../store/index.ts';
import { type Database, DatabaseError, isDatabaseError } from './database.ts';
import { COMPANIONS, checkHeader, fileSize, preparePrivateFiles, removeStaleLock } from './database-file.ts';
import { type Migration, migrate } from './schema.ts';
import { openWasmDatabase } from './wasm-database.ts';

export interface DatabaseOptions {
  readonly path: string;
  readonly steps: readonly Migration[];
  readonly now: () => string;
}

export interface OpenedDatabase {
  readonly database: Database;
  /** Set if the file was damaged, so that the database is a new one. */
  readonly movedAside: MovedAside | undefined;
}

/** KiB. Pages that a transaction has changed stay in memory until it is committed, whatever their number. */
const CACHE_KIB = 4_096;

/** A larger write-ahead log is truncated after the next checkpoint. */
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * Opens or creates a database, in the newest version. The caller must hold the lock of the data directory. Does not read
 * the whole file: damage further inside is found when it is read. Throws SERVER_NEWER_DATA and leaves that file as it is.
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenedDatabase> {
  try {
    return { database: open(options), movedAside: undefined };
  } catch (error) {
    if (!isDatabaseError(error, 'damaged')) throw error;
    const movedAside = await putAside(options.path, error.message, options.now());
    return { database: open(options), movedAside };
  }
}

/** Renames a damaged database, which must be closed, with everything that belongs to it. */
export async function putAside(path: string, reason: string, now: string): Promise<MovedAside> {
  const moved = await moveAside(nodeFileSystem, path, reason, now);
  for (const suffix of COMPANIONS) {
    await rename(path + suffix, moved.path + suffix).catch((error: unknown) => {
      if (!isErrorWithCode(error, 'ENOENT')) throw error;
    });
  }
  syncDirectoryNow(dirname(path));
  return moved;
}

function open({ path, steps }: DatabaseOptions): Database {
  const header = checkHeader(path, steps.length);
  if (header.kind === 'damaged') throw new DatabaseError('damaged', header.reason);
  preparePrivateFiles(path);
  removeStaleLock(path);
  const database = openWasmDatabase(path);
  try {
    configure(database);
    checkSize(database, path);
    if (upgrade(database, path, steps)) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    // The names of the files themselves: nothing else writes them to disk.
    syncDirectoryNow(dirname(path));
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

/** Locked for good first: without shared memory, the write-ahead log works only with an exclusive lock. */
function configure(database: Database): void {
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA cache_spill = OFF;
    PRAGMA cell_size_check = ON;
  `);
}

/** After everything in the log was written to the file, its size must be what its header says. */
function checkSize(database: Database, path: string): void {
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const pages = Number(database.get('PRAGMA page_count')?.page_count);
  const expected = pages * Number(database.get('PRAGMA page_size')?.page_size);
  const found = fileSize(path);
  if (found !== expected) throw new DatabaseError('damaged', `it has ${found} bytes instead of ${expected}`);
}

/** A file that says it is of an older version must have its tables. */
function upgrade(database: Database, path: string, steps: readonly Migration[]): boolean {
  try {
    return migrate(database, path, steps);
  } catch (error) {
    throw isDatabaseError(error, 'refused') ? new DatabaseError('damaged', error.message, error) : error;
  }
}

export function closeQuietly(database: Database): void {
  try {
    database.close();
  } catch {
    // It is not used any more, whatever became of it.
  }
}
