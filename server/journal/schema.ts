import { AppError } from '../../shared/errors.ts';
import type { Database } from './database.ts';

/** Brings a database from the version of its index to the next one. */
export type Migration = (database: Database) => void;

/**
 * - A turn has a row as soon as one of its items has; its `body` is null until the turn itself was recorded. `shown`: it
 *   has items. Turns are in the order of their keys.
 * - `open`: the item had not ended. `growths` holds what was added to its text since its `body` was written.
 */
const createTables: Migration = (database) =>
  database.exec(`
    CREATE TABLE sessions (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp TEXT);

    CREATE TABLE turns (key INTEGER PRIMARY KEY, session INTEGER NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL,
      running INTEGER NOT NULL, completed INTEGER NOT NULL, shown INTEGER NOT NULL, body BLOB);
    CREATE UNIQUE INDEX turns_by_id ON turns (session, id);
    CREATE INDEX turns_to_show ON turns (session) WHERE running = 1 OR shown = 0;
    CREATE INDEX turns_completed ON turns (session) WHERE completed = 1;

    CREATE TABLE items (key INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn INTEGER NOT NULL, id TEXT NOT NULL,
      position INTEGER NOT NULL, seq INTEGER NOT NULL, open INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE UNIQUE INDEX items_by_id ON items (session, id);
    CREATE INDEX items_by_position ON items (session, position);
    CREATE INDEX items_open ON items (session) WHERE open = 1;

    CREATE TABLE growths (key INTEGER PRIMARY KEY, item INTEGER NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL,
      emitted_at TEXT NOT NULL, text BLOB NOT NULL);
    CREATE INDEX growths_by_item ON growths (item);
  `);

/** The agents' files that were looked at. */
const addFound: Migration = (database) =>
  database.exec(`
    CREATE TABLE found (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, format TEXT NOT NULL, body TEXT NOT NULL)
      WITHOUT ROWID;
  `);

export const migrations: readonly Migration[] = [createTables, addFound];

/** True if the database was changed. All steps or none. Throws SERVER_NEWER_DATA, having changed nothing. */
export function migrate(database: Database, path: string, steps: readonly Migration[]): boolean {
  const found = Number(database.get('PRAGMA user_version')?.user_version);
  if (found > steps.length) throw newerJournal(path, found, steps.length);
  if (found === steps.length) return false;
  database.transaction(() => {
    for (const step of steps.slice(found)) step(database);
    database.exec(`PRAGMA user_version = ${steps.length}`);
  });
  return true;
}

export function newerJournal(path: string, found: number, known: number): AppError {
  return new AppError(
    'SERVER_NEWER_DATA',
    `${path} was written by a newer version (format ${found}; this one knows ${known}). Update Liminal Builder, or choose another data directory.`,
    { details: { path, found, known } },
  );
}

/** Why this is not what the migrations make, or undefined. Reads the whole file. */
export function findDamage(database: Database, sound: Database): string | undefined {
  const tables = (of: Database) => JSON.stringify(of.all('SELECT name, sql FROM sqlite_master ORDER BY name'));
  if (tables(database) !== tables(sound)) return 'its tables are not those of a journal';
  const found = database.get('PRAGMA quick_check(1)')?.quick_check;
  return found === 'ok' ? undefined : String(found);
}
