import { type Database, DatabaseError, isDatabaseError } from './database.ts';
import { closeQuietly, type DatabaseOptions, openDatabase, putAside } from './open-database.ts';
import { findDamage, type Migration, migrate } from './schema.ts';
import { openWasmDatabase } from './wasm-database.ts';

/** A database that is opened when it is needed, and replaced by a new one when it turns out to be damaged. */
export interface UsableDatabase {
  /** One at a time. Runs it again, with a new database, if the file is damaged. */
  use<T>(run: (database: Database) => T): Promise<T>;
  /** Writes what is in the log to the file if there is much of it. */
  tidy(): void;
  close(): void;
}

export interface UsableDatabaseOptions extends DatabaseOptions {
  /** A damaged file was renamed. */
  readonly onMovedAside: (to: string, reason: string) => void;
}

/** Pages in the log after which they are written to the file. */
const CHECKPOINT_PAGES = 1_000;

export function createUsableDatabase(options: UsableDatabaseOptions): UsableDatabase {
  const { path, steps, now, onMovedAside } = options;
  let opened: Database | undefined;

  async function open(): Promise<Database> {
    if (opened !== undefined) return opened;
    const { database, movedAside } = await openDatabase(options);
    if (movedAside !== undefined) onMovedAside(movedAside.path, movedAside.reason);
    opened = database;
    return database;
  }

  return {
    async use(run) {
      const database = await open();
      try {
        return run(database);
      } catch (error) {
        const reason = damageBehind(error, database, steps);
        if (reason === undefined) throw error;
        opened = undefined;
        closeQuietly(database);
        onMovedAside((await putAside(path, reason, now())).path, reason);
        return run(await open());
      }
    },
    tidy() {
      try {
        const pages = Number(opened?.get('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0);
        if (pages > CHECKPOINT_PAGES) opened?.get('PRAGMA wal_checkpoint(PASSIVE)');
      } catch {
        // The log has everything. The next use reports what is wrong, if it still is.
      }
    },
    close() {
      if (opened !== undefined) closeQuietly(opened);
      opened = undefined;
    },
  };
}

/** Undefined if the file is sound. */
function damageBehind(error: unknown, database: Database, steps: readonly Migration[]): string | undefined {
  if (isDatabaseError(error, 'damaged')) return error.message;
  if (!isDatabaseError(error, 'refused')) return undefined;
  const sound = openWasmDatabase(':memory:');
  try {
    migrate(sound, ':memory:', steps);
    return findDamage(database, sound);
  } catch (found) {
    return found instanceof DatabaseError && found.problem !== 'failed' ? found.message : undefined;
  } finally {
    closeQuietly(sound);
  }
}
