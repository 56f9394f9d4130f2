import type { Database } from './database.ts';
import type { FoundRow } from './journal.ts';
import { fromKey, toKey } from './stored-form.ts';

const PAGE = 2_000;

export function readFound(database: Database, after: string | undefined): FoundRow[] {
  const rows = database.all('SELECT path, stamp, format, body FROM found WHERE path > ? ORDER BY path LIMIT ?', [
    after === undefined ? '' : toKey(after),
    PAGE,
  ]);
  return rows.map(({ path, stamp, format, body }) => ({
    path: fromKey(path),
    stamp: String(stamp),
    format: String(format),
    body: String(body),
  }));
}

export function writeFound(database: Database, rows: readonly FoundRow[], gone: readonly string[]): undefined {
  database.transaction(() => {
    for (const path of gone) database.run('DELETE FROM found WHERE path = ?', [toKey(path)]);
    for (const { path, stamp, format, body } of rows)
      database.run('INSERT OR REPLACE INTO found (path, stamp, format, body) VALUES (?, ?, ?, ?)', [
        toKey(path),
        stamp,
        format,
        body,
      ]);
  });
}
