import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../server/journal/database.ts';
import { openDatabase } from '../../../server/journal/open-database.ts';
import type { Migration } from '../../../server/journal/schema.ts';
import { AT } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const steps: readonly Migration[] = [(database) => database.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b NOT NULL)')];

async function open(path = join(scratchDirectory(), 'some.sqlite')): Promise<Database> {
  const { database, movedAside } = await openDatabase({ path, steps, now: () => AT });
  expect(movedAside).toBeUndefined();
  onTestFinished(() => {
    try {
      database.close();
    } catch {
      // It was closed by the test.
    }
  });
  return database;
}

const rows = (database: Database) => database.all('SELECT a, b FROM t ORDER BY a');

it('keep/journal a database gives back numbers, texts, bytes and null as they were', async () => {
  const database = await open();
  const values = [0, -1, 2 ** 40, 1.5, '', 'Zażółć 🐢', new Uint8Array([0, 255, 0]), new Uint8Array()];
  for (const [index, value] of values.entries()) database.run('INSERT INTO t VALUES (?, ?)', [index, value]);

  expect(rows(database)).toEqual(values.map((b, a) => ({ a, b })));
  expect(database.get('SELECT NULL AS empty')).toEqual({ empty: null });
  expect(database.get('SELECT a FROM t WHERE a = ?', [99])).toBeUndefined();
});

it('keep/journal a transaction is written as a whole or not at all', async () => {
  const path = join(scratchDirectory(), 'some.sqlite');
  const database = await open(path);
  database.transaction(() => database.run("INSERT INTO t VALUES (1, 'kept')"));

  expect(() =>
    database.transaction(() => {
      database.run("INSERT INTO t VALUES (2, 'lost')");
      throw new Error('changed my mind');
    }),
  ).toThrow('changed my mind');
  const tried = database.trial(() => {
    database.run("INSERT INTO t VALUES (3, 'tried')");
    return rows(database).length;
  });
  expect(tried).toBe(2);
  expect(rows(database)).toEqual([{ a: 1, b: 'kept' }]);

  database.close();
  expect(rows(await open(path))).toEqual([{ a: 1, b: 'kept' }]);
});

it('keep/journal a statement that failed works the next time', async () => {
  const database = await open();
  const insert = (a: number, b: string | null) => database.run('INSERT INTO t VALUES (?, ?)', [a, b]);
  insert(1, 'first');

  for (const again of [1, 2]) {
    expect(() => insert(1, `twice ${again}`)).toThrow(expect.objectContaining({ problem: 'refused' }));
    expect(() => insert(2, null)).toThrow(expect.objectContaining({ problem: 'refused' }));
  }
  insert(2, 'second');
  expect(rows(database)).toHaveLength(2);
});

it('keep/journal the files of a database belong to this user alone', async () => {
  const directory = scratchDirectory();
  const database = await open(join(directory, 'some.sqlite'));
  database.run("INSERT INTO t VALUES (1, 'x')");

  const files = readdirSync(directory).filter((name) => !name.endsWith('.lock'));
  expect(files.sort()).toEqual(['some.sqlite', 'some.sqlite-wal']);
  for (const name of files) expect(statSync(join(directory, name)).mode & 0o777, name).toBe(0o600);
});

it('keep/journal a lock that a killed process left does not matter', async () => {
  const directory = scratchDirectory();
  const path = join(directory, 'some.sqlite');
  (await open(path)).close();
  mkdirSync(`${path}.lock`);

  const database = await open(path);
  database.run("INSERT INTO t VALUES (1, 'x')");
  database.close();
  expect(existsSync(`${path}.lock`)).toBe(false);
});
